import * as z from "zod";
import type { AssumptionName, Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import {
  CPF_SHAPE,
  EVP_FORMS,
  hasCpfCheckDigits,
  isEmail,
  isPixKey,
  PHONE_FORMS,
  PIX_KEY_RULES,
  PIX_KEY_TYPES,
  type PixKeyForms,
  type PixKeyType,
  toAmount,
} from "../../core/records/checks.ts";
import {
  CONFIGURED_EVENTS,
  type PayinDraft,
  type PayoutDraft,
  type PayoutOutcome,
  type WebhookConfiguration,
} from "../../core/records/transaction.ts";
import { isWebhookUrl } from "../../core/records/webhook-url.ts";
import { english } from "../../text/languages.ts";
import { say } from "../../text/message.ts";
import { type BodyReader, createReader, type Rules } from "./body.ts";

/** What a valid body says. */
interface Drafts {
  readonly payin: PayinDraft;
  readonly payout: PayoutDraft;
  readonly payinSimulation: Simulation;
  readonly payoutSimulation: Simulation;
  readonly webhookConfiguration: Pick<WebhookConfiguration, "webhook_url" | "events">;
}

export interface Simulation {
  readonly transaction_id: string;
  readonly status: PayoutOutcome;
}

/** Members of payins only, of their requests and of their records alike. */
export const PAYIN_MEMBERS = {
  generate_qrcode: z.boolean(),
  expiration: z.int().min(20).max(172_800),
};

/**
 * The gateway's bodies: the schema of each, and the rule of each member in words.
 * Each reads the assumptions that it depends on while it is built.
 */
export const BODIES = {
  payin(trace: AssumptionTrace) {
    const shared = sharedMembers("buyer", trace);
    const schema = bodyObject(trace)({
      ...shared.shape,
      ...PAYIN_MEMBERS,
      generate_qrcode: PAYIN_MEMBERS.generate_qrcode.default(
        trace.read("payin.generate_qrcode") === "true",
      ),
      expiration: PAYIN_MEMBERS.expiration.default(240),
    });
    const rules: Rules = {
      ...shared.rules,
      generate_qrcode: say`generate_qrcode must be true or false.`,
      expiration: say`expiration must be an integer of seconds from 20 to 172800.`,
    };
    return { schema, rules };
  },

  payout(trace: AssumptionTrace) {
    const shared = sharedMembers("receiver", trace);
    const forms: PixKeyForms = {
      "cpf.check": trace.read("cpf.check"),
      "email.size": trace.read("email.size"),
      "phone.size": trace.read("phone.size"),
      "evp.form": trace.read("evp.form"),
    };
    const schema = bodyObject(trace)({
      ...shared.shape,
      pix_key: text.meta({ description: "A key of the type that pix_key_type names." }),
      pix_key_type: z.enum(PIX_KEY_TYPES),
    })
      .refine(({ pix_key_type, pix_key }) => isPixKey(pix_key_type, pix_key, forms), {
        path: ["pix_key"],
        // The key is checked even if other members are wrong: one response names them all.
        when: ({ value: body }) => {
          const { pix_key, pix_key_type } = body as Record<string, unknown>;
          return text.safeParse(pix_key).success && isPixKeyType(pix_key_type);
        },
      })
      .meta({ allOf: pixKeySchemas(forms) });
    const rules: Rules = {
      ...shared.rules,
      pix_key: ({ pix_key_type: type }) =>
        isPixKeyType(type) ? PIX_KEY_RULES[type] : textRule("pix_key"),
      pix_key_type: oneOf("pix_key_type", PIX_KEY_TYPES),
    };
    return { schema, rules };
  },

  payinSimulation(trace: AssumptionTrace) {
    const takesCanceled = trace.read("payin.simulation_status") === "also_canceled";
    return simulation(trace, takesCanceled ? PAYOUT_OUTCOMES : ["completed"]);
  },

  payoutSimulation: (trace: AssumptionTrace) => simulation(trace, PAYOUT_OUTCOMES),

  webhookConfiguration(trace: AssumptionTrace) {
    trace.read("webhook.configuration");
    const events = z.array(z.enum(CONFIGURED_EVENTS)).min(1);
    const schema = bodyObject(trace)({ webhook_url: webhookUrl, events });
    const rules: Rules = {
      webhook_url: WEBHOOK_URL_RULE,
      events: say`events must be a list of at least one of ${CONFIGURED_EVENTS.join(", ")}.`,
    };
    return { schema, rules };
  },
};

export type GatewayBody = keyof typeof BODIES;

/** The draft that the reader of a body returns. */
export type DraftOf<Name extends GatewayBody> = Drafts[Name];

export interface GatewayReader<Draft> extends BodyReader<Draft> {
  /** The assumptions that it was built from. */
  readonly dependsOn: readonly AssumptionName[];
}

const built = new WeakMap<Assumptions, Partial<Record<GatewayBody, GatewayReader<unknown>>>>();

/** The reader of a body under these assumptions, built at its first use. */
export function readerOf<Name extends GatewayBody>(
  name: Name,
  assumptions: Assumptions,
): GatewayReader<DraftOf<Name>> {
  let readers = built.get(assumptions);
  if (!readers) built.set(assumptions, (readers = {}));
  const trace = new AssumptionTrace(assumptions);
  const build = (): GatewayReader<unknown> => {
    const { schema, rules } = BODIES[name](trace);
    return Object.assign(createReader(schema, rules), { dependsOn: trace.names() });
  };
  return (readers[name] ??= build()) as GatewayReader<DraftOf<Name>>;
}

const PAYOUT_OUTCOMES = ["completed", "canceled"] as const satisfies readonly PayoutOutcome[];

function simulation(trace: AssumptionTrace, statuses: readonly PayoutOutcome[]) {
  const schema = bodyObject(trace)({ transaction_id: text, status: z.enum(statuses) });
  const rules: Rules = {
    transaction_id: textRule("transaction_id"),
    status: oneOf("status", statuses),
  };
  return { schema, rules };
}

function isPixKeyType(type: unknown): type is PixKeyType {
  return (PIX_KEY_TYPES as readonly unknown[]).includes(type);
}

/** One JSON Schema for each type of key: zod cannot express the refinement that checks it. */
function pixKeySchemas(forms: PixKeyForms) {
  const keywords: Readonly<Record<PixKeyType, object>> = {
    cpf: { pattern: "^[0-9]{11}$" },
    email: { format: "email", ...(forms["email.size"] === "77" && { maxLength: 77 }) },
    phone: { pattern: PHONE_FORMS[forms["phone.size"]].source },
    evp: { format: "uuid", pattern: EVP_FORMS[forms["evp.form"]].source },
  };
  return PIX_KEY_TYPES.map((type) => {
    const key = { type: "string", description: english(PIX_KEY_RULES[type]), ...keywords[type] };
    return {
      if: { properties: { pix_key_type: { const: type } }, required: ["pix_key_type"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
      then: { properties: { pix_key: key } },
    };
  });
}

/** Well-formed text with a character that is not blank; `\P{Cs}` counts code points. */
const text = z.string().regex(/^(?=[^]*\S)\P{Cs}*$/u);
const description = z
  .string()
  .regex(/^(?=[^]*\S)\P{Cs}{0,140}$/u)
  .meta({ maxLength: 140 });
/** Merchants repeat a valid address, and parsing one costs more than all other checks together. */
let lastUrl = "";
const webhookUrl = z
  .string()
  .refine((url) => {
    if (url !== lastUrl && !isWebhookUrl(url)) return false;
    lastUrl = url;
    return true;
  })
  .meta({
    pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/\p{Cc}\p{Cs}][^\s\p{Cc}\p{Cs}]*$`,
  });

function bodyObject(trace: AssumptionTrace) {
  const isStrict = trace.read("unknown_field") === "reject";
  return <Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape> =>
    isStrict ? z.strictObject(shape) : z.object(shape);
}

const WEBHOOK_URL_RULE = say`webhook_url must be an http or https URL without port 0, and not a link-local or metadata address.`;

/** The members that both creations begin with, and their rules. */
function sharedMembers<Party extends "buyer" | "receiver">(party: Party, trace: AssumptionTrace) {
  const [cpf, name, email] = [`${party}_cpf`, `${party}_name`, `${party}_email`] as const;
  const unit = trace.read("value.unit");
  const isInCents = unit === "centavos";
  const isChecked = trace.read("cpf.check") === "check_digits";
  const size = trace.read("email.size");
  const digits = z.string().regex(CPF_SHAPE);
  // Not `multipleOf: 0.01`: validators compute it in floating point, where 0.07 is no multiple of 0.01.
  const bounds = isInCents
    ? { type: "integer", minimum: 1, maximum: 999_999_999_999 }
    : { exclusiveMinimum: 0, maximum: 9_999_999_999.99 };
  const shape = {
    value: z
      .number()
      .refine((number) => toAmount(number, unit) !== undefined)
      .meta(bounds)
      // A sum such as 0.1 + 0.2 becomes the amount that it stands for.
      .transform((number) => toAmount(number, unit)),
    description: description.optional(),
    [cpf]: isChecked ? digits.refine(hasCpfCheckDigits) : digits,
    [name]: text,
    [email]: z
      .string()
      .refine((address) => isEmail(address, size))
      .meta({ format: "email", ...(size === "77" && { maxLength: 77 }) }),
    webhook_url: webhookUrl,
  };
  const rules: Rules = {
    value: isInCents
      ? say`value must be a positive integer of centavos, at most 999999999999.`
      : say`value must be a number more than 0 with at most 2 decimals, at most 9999999999.99.`,
    description: say`description must be text of at most 140 characters.`,
    [cpf]: isChecked
      ? say`${cpf} must be a CPF of exactly 11 digits with valid check digits.`
      : say`${cpf} must be a CPF of exactly 11 digits.`,
    [name]: textRule(name),
    [email]:
      size === "77"
        ? say`${email} must be a valid e-mail address of at most 77 characters.`
        : say`${email} must be a valid e-mail address.`,
    webhook_url: WEBHOOK_URL_RULE,
  };
  type Members = Record<`${Party}_cpf` | `${Party}_name` | `${Party}_email`, z.ZodString>;
  return { shape: shape as typeof shape & Members, rules };
}

function textRule(field: string) {
  return say`${field} must be text.`;
}

function oneOf(field: string, values: readonly string[]) {
  const list = values.join(", ");
  return values.length === 1
    ? say`${field} must be ${list}.`
    : say`${field} must be one of ${list}.`;
}
