import * as z from "zod";
import type { AssumptionName, Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import {
  type PayoutDraft,
  type PayoutOutcome,
  CONFIGURED_EVENTS,
  type PayinDraft,
} from "../../core/records/transaction.ts";
import type { FieldError } from "../../core/records/errors.ts";
import { unreadableBody } from "../calls/refusals.ts";
import {
  EVP_FORMS,
  toAmount,
  isPixKey,
  PHONE_FORMS,
  PIX_KEY_RULES,
  PIX_KEY_TYPES,
  type PixKeyForms,
  type PixKeyType,
  CPF_SHAPE,
  hasCpfCheckDigits,
  isEmail,
} from "../../core/records/checks.ts";
import { SAMPLE } from "../../wire/sample.ts";
import { isWebhookUrl } from "../../core/records/webhook-url.ts";
import { joined, type Message, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

export interface Simulation<Status> {
  readonly id: string;
  readonly status: Status;
}

/**
 * The gateway's bodies: the schema of each, the rule of each member in words, and its conversion for the core.
 * Each reads the assumptions that it depends on while it is built.
 */
export const BODIES = {
  payin: payinBody,
  payout: payoutBody,

  payinSimulation(trace: AssumptionTrace) {
    const takesCanceled = trace.read("payin.simulation_status") === "also_canceled";
    return simulation(trace, takesCanceled ? PAYOUT_OUTCOMES : (["completed"] as const));
  },

  payoutSimulation: (trace: AssumptionTrace) => simulation(trace, PAYOUT_OUTCOMES),

  webhookConfiguration(trace: AssumptionTrace) {
    trace.read("webhook.configuration");
    const schema = bodyObject(trace)({
      webhook_url: webhookUrl,
      events: z.array(z.enum(CONFIGURED_EVENTS)).min(1),
    });
    const rules: Rules = {
      webhook_url: WEBHOOK_URL_RULE,
      events: say`events must be a list of at least one of ${CONFIGURED_EVENTS.join(", ")}.`,
    };
    const toDraft = (body: z.output<typeof schema>) => body;
    return { schema, rules, toDraft };
  },
};

function simulation<Statuses extends readonly [PayoutOutcome, ...PayoutOutcome[]]>(
  trace: AssumptionTrace,
  statuses: Statuses,
) {
  const schema = bodyObject(trace)({ transaction_id: text, status: z.enum(statuses) });
  const rules: Rules = {
    transaction_id: textRule("transaction_id"),
    status: oneOf("status", statuses),
  };
  const toDraft = (body: {
    transaction_id: string;
    status: PayoutOutcome;
  }): Simulation<PayoutOutcome> => ({ id: body.transaction_id, status: body.status });
  return { schema, rules, toDraft };
}

const PAYOUT_OUTCOMES = ["completed", "canceled"] as const satisfies readonly PayoutOutcome[];

export type GatewayBody = keyof typeof BODIES;

/** The draft that the reader of a body returns. */
export type DraftOf<Name extends GatewayBody> = ReturnType<
  ReturnType<(typeof BODIES)[Name]>["toDraft"]
>;

function payinBody(trace: AssumptionTrace) {
  const { unit, value, cpf, email, rules: shared } = sharedMembers("buyer", trace);
  const schema = bodyObject(trace)({
    value,
    description: description.optional(),
    buyer_cpf: cpf,
    buyer_name: text,
    buyer_email: email,
    webhook_url: webhookUrl,
    generate_qrcode: z.boolean().default(trace.read("payin.generate_qrcode") === "true"),
    expiration: z.int().min(20).max(172_800).default(240),
  });
  const rules: Rules = {
    ...shared,
    generate_qrcode: say`generate_qrcode must be true or false.`,
    expiration: say`expiration must be an integer of seconds from 20 to 172800.`,
  };
  const toDraft = (body: z.output<typeof schema>) => withWholeCents(body, unit) as PayinDraft;
  return { schema, rules, toDraft };
}

function payoutBody(trace: AssumptionTrace) {
  const { unit, value, cpf, email, rules: shared } = sharedMembers("receiver", trace);
  const forms: PixKeyForms = {
    "cpf.check": trace.read("cpf.check"),
    "email.size": trace.read("email.size"),
    "phone.size": trace.read("phone.size"),
    "evp.form": trace.read("evp.form"),
  };
  const schema = bodyObject(trace)({
    value,
    description: description.optional(),
    receiver_cpf: cpf,
    receiver_name: text,
    receiver_email: email,
    webhook_url: webhookUrl,
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
    ...shared,
    pix_key: ({ pix_key_type: type }) =>
      isPixKeyType(type) ? PIX_KEY_RULES[type] : textRule("pix_key"),
    pix_key_type: oneOf("pix_key_type", PIX_KEY_TYPES),
  };
  const toDraft = (body: z.output<typeof schema>) => withWholeCents(body, unit) as PayoutDraft;
  return { schema, rules, toDraft };
}

/** A sum such as 0.1 + 0.2 becomes the amount that it stands for. */
function withWholeCents<Body extends { value: number }>(
  body: Body,
  unit: Assumptions["value.unit"],
): Body {
  body.value = toAmount(body.value, unit) ?? 0;
  return body;
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

// The schemas of members that several request bodies have, and their rules in words.

/** Well-formed text with a character that is not blank; `\P{Cs}` counts code points. */
const text = z.string().regex(/^(?=[^]*\S)\P{Cs}*$/u);
const description = z
  .string()
  .regex(/^(?=[^]*\S)\P{Cs}{0,140}$/u)
  .meta({ maxLength: 140 });
const webhookUrl = z
  .string()
  .refine(memoize(isWebhookUrl))
  .meta({
    pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/\p{Cc}\p{Cs}][^\s\p{Cc}\p{Cs}]*$`,
  });

function bodyObject(trace: AssumptionTrace) {
  const isStrict = trace.read("unknown_field") === "reject";
  return <Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape> =>
    isStrict ? z.strictObject(shape) : z.object(shape);
}

const WEBHOOK_URL_RULE = say`webhook_url must be an http or https URL without port 0, and not a link-local or metadata address.`;

/** The schemas of the members that both creations begin with, and their rules. */
function sharedMembers(party: "buyer" | "receiver", trace: AssumptionTrace) {
  const [cpf, name, email] = [`${party}_cpf`, `${party}_name`, `${party}_email`] as const;
  const unit = trace.read("value.unit");
  const isChecked = trace.read("cpf.check") === "check_digits";
  const size = trace.read("email.size");
  const digits = z.string().regex(CPF_SHAPE);
  // Not `multipleOf: 0.01`: validators compute it in floating point, where 0.07 is no multiple of 0.01.
  const bounds =
    unit === "centavos"
      ? { type: "integer", minimum: 1, maximum: 999_999_999_999 }
      : { exclusiveMinimum: 0, maximum: 9_999_999_999.99 };
  const rules: Rules = {
    value:
      unit === "centavos"
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
  return {
    unit,
    rules,
    value: z
      .number()
      .refine((number) => toAmount(number, unit) !== undefined)
      .meta(bounds),
    cpf: isChecked ? digits.refine(hasCpfCheckDigits) : digits,
    email: z
      .string()
      .refine((address) => isEmail(address, size))
      .meta({ format: "email", ...(size === "77" && { maxLength: 77 }) }),
  };
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

/** Caches valid addresses: merchants repeat a few, and parsing one costs more than all other checks together. */
function memoize(check: (text: string) => boolean): (text: string) => boolean {
  const passed = new Set<string>();
  return (candidate) => {
    if (passed.has(candidate)) return true;
    if (!check(candidate)) return false;
    if (passed.size >= 1000) passed.clear();
    if (candidate.length <= 1000) passed.add(candidate);
    return true;
  };
}

export interface GatewayReader<Draft> extends BodyReader<Draft> {
  /** The assumptions that it was built from. */
  readonly dependsOn: readonly AssumptionName[];
}

const built = new WeakMap<Assumptions, Map<GatewayBody, GatewayReader<unknown>>>();

/** The reader of a body under these assumptions, built at its first use. */
export function readerOf<Name extends GatewayBody>(
  name: Name,
  assumptions: Assumptions,
): GatewayReader<DraftOf<Name>> {
  let readers = built.get(assumptions);
  if (!readers) built.set(assumptions, (readers = new Map()));
  let reader = readers.get(name);
  if (!reader) readers.set(name, (reader = buildReader(BODIES[name], assumptions)));
  return reader as GatewayReader<DraftOf<Name>>;
}

function buildReader(
  build: (typeof BODIES)[GatewayBody],
  assumptions: Assumptions,
): GatewayReader<unknown> {
  const trace = new AssumptionTrace(assumptions);
  const { schema, rules, toDraft } = build(trace);
  const read = createReader(schema as z.ZodType, rules, toDraft as (body: unknown) => unknown);
  return Object.assign(read, { dependsOn: trace.names() });
}

/** The rule of each member, in words; a function if it depends on other members. */
export type Rules = Readonly<Record<string, Message | ((body: Members) => Message)>>;
type Members = Readonly<Record<string, unknown>>;

/** The draft of a valid body, or an entry for each member that is wrong. */
export type Reading<Draft> = { readonly draft: Draft } | { readonly fields: readonly FieldError[] };

/** @throws HttpRefusal 400 for JSON that is not an object. */
export type BodyReader<Draft> = (body: unknown) => Reading<Draft>;

/** Creates a reader that validates a body with a schema and converts it to a draft for the core. */
export function createReader<Schema extends z.ZodType, Draft>(
  schema: Schema,
  rules: Rules,
  toDraft: (body: z.output<Schema>) => Draft,
): BodyReader<Draft> {
  // Compiled at its first use, so that a start does not wait for it.
  let compiled: ReturnType<typeof z.compile<Schema>> | undefined;
  return (body) => {
    const members = readObject(body);
    compiled ??= z.compile(schema);
    const result = compiled.safeParse(body);
    return result.success
      ? { draft: toDraft(result.data) }
      : { fields: toFieldErrors(result.error.issues, members, rules) };
  };
}

/** @throws HttpRefusal 400 for JSON that is not an object. */
export function readObject(body: unknown): Members {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw unreadableBody(NOT_AN_OBJECT);
  return body as Members;
}

/** One entry for each wrong member, in the order of the schema. */
function toFieldErrors(
  issues: readonly z.core.$ZodIssue[],
  body: Members,
  rules: Rules,
): FieldError[] {
  const names = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys : String(issue.path[0]),
  );
  return [...new Set(names)].map((field) => {
    const issue = issues.find(({ path }) => path[0] === field);
    return toFieldError(field, body, Object.hasOwn(rules, field) ? rules[field] : undefined, issue);
  });
}

function toFieldError(
  field: string,
  body: Members,
  rule: Rules[string] | undefined,
  issue: z.core.$ZodIssue | undefined,
): FieldError {
  const value = Object.hasOwn(body, field) ? body[field] : undefined;
  if (value === undefined)
    return { field, code: "REQUIRED_VALUE", message: say`${field} is required.` };
  if (value === null || (typeof value === "string" && value.trim() === ""))
    return { field, code: "EMPTY_VALUE", message: say`${field} is empty.` };
  const message =
    (typeof rule === "function" ? rule(body) : rule) ?? say`${field} is not a documented member.`;
  const isCpf = field.endsWith("_cpf") || message === PIX_KEY_RULES.cpf;
  const hint = hintFor(field, value, isCpf, issue);
  return { field, code: "INVALID_VALUE", message: hint ? joined([message, hint]) : message };
}

/** What to do about a usual mistake. */
function hintFor(
  field: string,
  value: unknown,
  isCpf: boolean,
  issue: z.core.$ZodIssue | undefined,
): Message | undefined {
  if (isCpf && typeof value === "number") return say`Write it in quotes.`;
  if (typeof value !== "string") return undefined;
  if (field === "webhook_url" && !/^https?:\/\//i.test(value))
    return say`Begin with http:// or https://.`;
  if (isCpf && !CPF_SHAPE.test(value) && CPF_SHAPE.test(value.replaceAll(/[\s.-]/g, "")))
    return say`Use only digits: ${SAMPLE.cpf}.`;
  const expected = issue?.code === "invalid_type" ? issue.expected : undefined;
  if (expected === "number" && /^\d+,\d+$/.test(value))
    return say`Write it without quotes and with a dot, such as 10.50.`;
  const isQuoted =
    (expected === "number" && /^\d+(?:\.\d+)?$/.test(value)) ||
    (expected === "boolean" && /^(?:true|false)$/.test(value));
  return isQuoted ? say`Write it without quotes.` : undefined;
}

const NOT_AN_OBJECT = say`The body must be a JSON object.`;
