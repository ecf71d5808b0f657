import * as z from "zod";
import {
  type Assumption,
  ASSUMPTIONS,
  type Assumptions,
  POSITIVE_INTEGER,
} from "../../core/assumptions/table.ts";
import { effectRule } from "../../core/faults/effects.ts";
import { toWireValue } from "../../core/payments/money.ts";
import { PIX_KEY_RULES, PIX_KEY_TYPES, type PixKeyType } from "../../core/payments/pix-key.ts";
import { pageQuery } from "../query.ts";
import { advanceBody, setBody } from "../routes/clock.ts";
import { payinsQuery, payoutsQuery } from "../routes/control.ts";
import { deliveriesQuery, deliveryFilter, waitQuery } from "../routes/deliveries.ts";
import { requestsQuery } from "../routes/requests.ts";
import { faultBody, faultsQuery, releaseBody } from "../routes/faults.ts";
import { untraced } from "../../core/assumptions/trace.ts";
import type { Rules as BodyRules } from "../body-reader.ts";
import { BODIES, type GatewayBody } from "../schemas.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Every body that is sent, by the name of its schema. */
export type BodyName =
  | "PayinRequest"
  | "PayoutRequest"
  | "PayinSimulation"
  | "PayoutSimulation"
  | "WebhookConfiguration"
  | "ClockAdvance"
  | "ClockSetting"
  | "DeliveryFilter"
  | "FaultRequest"
  | "FaultRelease"
  | "AssumptionChanges";

/** One body that is sent: its schema, and bodies that keep it. */
export interface DescribedBody {
  readonly schema: JsonSchema;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** The bodies, described by the schemas that validate them. */
export function describeBodies(
  assumptions: Assumptions,
): Readonly<Record<BodyName, DescribedBody>> {
  const describe = (schema: z.ZodType, all: object, rules: Rules): DescribedBody => {
    // What an assumption forbids is no example.
    const examples = Object.fromEntries(
      Object.entries(all).filter(([, body]) => schema.safeParse(body).success),
    );
    return {
      schema: { ...describeMembers(schema, rules), examples: Object.values(examples) },
      examples,
    };
  };
  const gateway = (name: GatewayBody, all: object): DescribedBody => {
    const { schema, rules } = BODIES[name](untraced(assumptions));
    return describe(schema, all, gatewayRules(rules, assumptions));
  };
  const { payins, payouts, payinSimulation, payoutSimulation, webhook } = examplesFor(assumptions);
  return {
    PayinRequest: gateway("payin", payins),
    PayoutRequest: withPixKeyRules(gateway("payout", payouts), assumptions),
    PayinSimulation: gateway("payinSimulation", payinSimulation),
    PayoutSimulation: gateway("payoutSimulation", payoutSimulation),
    WebhookConfiguration: gateway("webhookConfiguration", webhook),
    ClockAdvance: describe(advanceBody, { five_minutes: { seconds: 300 } }, CLOCK_RULES),
    ClockSetting: describe(setBody, { noon: { now: "2026-11-21T12:00Z" } }, CLOCK_RULES),
    DeliveryFilter: describe(deliveryFilter, { failed: { status: "failed" } }, FILTER_RULES),
    FaultRequest: describe(
      faultBody,
      {
        error: { on: "payouts.create", effect: "error=EXTERNAL_ERROR", times: 1 },
        duplicate: { on: "webhook", effect: "duplicate", match: { buyer_cpf: "12345678909" } },
      },
      FAULT_RULES,
    ),
    FaultRelease: describe(releaseBody, { turned: { order: [1, 0] } }, FAULT_RULES),
    AssumptionChanges: {
      schema: { ...assumptionChanges(), examples: [RIVALS] },
      examples: { rival: RIVALS },
    },
  };
}

const RIVALS = { "payout.rival": "reject" };

/** The queries of the routes that take one. */
const QUERIES = {
  faults: faultsQuery,
  payins: payinsQuery,
  payouts: payoutsQuery,
  deliveries: deliveriesQuery,
  filter: deliveryFilter,
  requests: requestsQuery,
  wait: waitQuery,
} as const;

export type QueryName = keyof typeof QUERIES;

type Rules = Readonly<Record<string, JsonSchema>>;

function describeMembers(schema: z.ZodType, rules: Rules): JsonSchema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: "input" });
  const members = Object.entries(described.properties ?? {});
  return {
    ...described,
    properties: Object.fromEntries(
      members.map(([name, rule]) => [name, { ...(rule as object), ...rules[name] }]),
    ),
  };
}

/** What each member must be, in words, and what a function checks as far as a keyword can say it. */
function gatewayRules(rules: BodyRules, assumptions: Assumptions): Rules {
  const email = {
    format: "email",
    ...(assumptions["email.size"] === "77" && { maxLength: 77 }),
  };
  const checked: Rules = {
    // Not `multipleOf: 0.01`: it is computed in floating point, where 0.07 is no multiple of 0.01.
    value:
      assumptions["value.unit"] === "centavos"
        ? { type: "integer", minimum: 1, maximum: 999_999_999_999 }
        : { exclusiveMinimum: 0, maximum: 9_999_999_999.99 },
    description: { maxLength: 140 },
    buyer_email: email,
    receiver_email: email,
    webhook_url: { pattern: WEBHOOK_URL },
  };
  const words = Object.entries(rules).map(([name, rule]) => {
    const description = typeof rule === "function" ? PIX_KEY_IN_WORDS : rule.en;
    return [name, { description, ...checked[name] }] as const;
  });
  return Object.fromEntries(words);
}

const WEBHOOK_URL = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/\p{Cc}\p{Cs}][^\s\p{Cc}\p{Cs}]*$`;
const PIX_KEY_IN_WORDS = "pix_key must be a key of the type that pix_key_type says.";

/** One rule for each type of key, which the schema's own refinement cannot show. */
function withPixKeyRules(body: DescribedBody, assumptions: Assumptions): DescribedBody {
  const allOf = PIX_KEY_TYPES.map((type) => ({
    if: { properties: { pix_key_type: { const: type } }, required: ["pix_key_type"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
    then: {
      properties: {
        pix_key: {
          type: "string",
          description: PIX_KEY_RULES[type].en,
          ...pixKeyRule(type, assumptions),
        },
      },
    },
  }));
  return { ...body, schema: { ...body.schema, allOf } };
}

function pixKeyRule(type: PixKeyType, assumptions: Assumptions): JsonSchema {
  switch (type) {
    case "cpf":
      return { pattern: "^[0-9]{11}$" };
    case "email":
      return { format: "email", ...(assumptions["email.size"] === "77" && { maxLength: 77 }) };
    case "phone":
      return { pattern: PHONE_PATTERNS[assumptions["phone.size"]] };
    case "evp":
      return { format: "uuid", pattern: EVP_PATTERNS[assumptions["evp.form"]] };
  }
}

const PHONE_PATTERNS: Readonly<Record<Assumptions["phone.size"], string>> = {
  either: "^\\+[1-9][0-9]{11,12}$",
  words: "^\\+55[0-9]{11}$",
  size: "^\\+[1-9][0-9]{11}$",
};

const EVP_PATTERNS: Readonly<Record<Assumptions["evp.form"], string>> = {
  any: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
  lower_v4: "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
};

const CLOCK_RULES: Rules = {
  seconds: { description: "How far; the sandbox's time does not go back." },
  now: {
    pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$`,
    description: "A time with its zone, not before the sandbox's now.",
  },
};

const FAULT_RULES: Rules = {
  on: { description: "What it acts on." },
  effect: {
    description: `What it does. On a call: ${effectRule("effect", "payins.create").en} On a webhook: ${effectRule("effect", "webhook").en}`,
  },
  match: {
    description:
      "Members that the request's body, or the event's `data`, must have; equal as JSON.",
  },
  times: { description: "How often it acts; for ever where it is absent." },
  probability: {
    description: "How likely it is to act, drawn from the seed; always where it is absent.",
  },
  order: {
    description:
      "Which held calls go first: each by its place of arrival, from 0 on, or by its `x-idempotency-key`. The others follow as they came.",
  },
};

const FILTER_RULES: Rules = {
  status: { description: "Where the delivery stands." },
  type: { description: "The event's type, such as `payin.paid`." },
  transaction_id: { description: "The id of the payin or payout." },
};

const PARAMETER_RULES: Rules = {
  ...FILTER_RULES,
  limit: {
    type: "integer",
    minimum: 1,
    maximum: 1000,
    default: pageQuery.parse({}).limit,
    description: "How many at most.",
  },
  after: { description: "The `next` of the page before." },
  id: { description: "The delivery's id." },
  timeout_ms: {
    type: "integer",
    minimum: 0,
    maximum: 600_000,
    default: waitQuery.parse({}).timeout_ms,
    description: "How long to wait at most, in real milliseconds.",
  },
};

/** The parameters of a query. Numbers are read from text, and described as what they are. */
export function describeQuery(name: QueryName): readonly JsonSchema[] {
  const { properties } = describeMembers(QUERIES[name], PARAMETER_RULES) as {
    properties: Readonly<Record<string, JsonSchema>>;
  };
  return Object.entries(properties).map(
    ([parameter, { description, pattern: _digits, ...rule }]) => ({
      name: parameter,
      in: "query",
      description,
      schema: rule,
    }),
  );
}

/** What `readChoice` takes: a choice by its name, or the number or the truth value that is written so. */
function assumptionChanges(): JsonSchema {
  const properties = Object.entries(ASSUMPTIONS).map(([name, row]: [string, Assumption]) => {
    const names = Object.keys(row.choices);
    const literal = names.filter((choice) => !choice.includes("<")).flatMap(spellings);
    const anyOf = [
      ...names.filter((choice) => choice.includes("<")).flatMap(numbered),
      ...(literal.length > 0 ? [{ enum: literal }] : []),
    ];
    return [name, { description: row.gap, ...(anyOf.length > 1 ? { anyOf } : anyOf[0]) }] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** A choice in whose name any positive integer stands. */
function numbered(choice: string): readonly JsonSchema[] {
  const [before = ""] = choice.split("<");
  const text = { type: "string", pattern: `^${before}${POSITIVE_INTEGER}$` };
  const number = { type: "integer", minimum: 1, maximum: 999_999_999_999_999 };
  return before === "" ? [number, text] : [text];
}

function spellings(choice: string): readonly unknown[] {
  if (choice === "true" || choice === "false") return [choice, choice === "true"];
  return String(Number(choice)) === choice ? [choice, Number(choice)] : [choice];
}

/** The bodies of `fixtures/requests`; amounts in the unit that holds. */
function examplesFor(assumptions: Assumptions) {
  const value = (cents: number): number => toWireValue(cents, assumptions["value.unit"]);
  const webhook_url = "http://localhost:3000/webhooks/pix";
  const buyer = {
    buyer_cpf: "12345678909",
    buyer_name: "Maria da Silva",
    buyer_email: "maria.silva@example.com",
    webhook_url,
  };
  const payout = (pix_key_type: PixKeyType, pix_key: string) => ({
    value: value(2575),
    description: "Repasse de vendas",
    receiver_cpf: "52998224725",
    receiver_name: "João Pereira",
    receiver_email: "joao.pereira@example.com",
    webhook_url,
    pix_key,
    pix_key_type,
  });
  return {
    payins: {
      payin: { value: value(1050), ...buyer },
      "payin-full": {
        value: value(14_990),
        description: "Pedido 1042: café em grãos ☕",
        ...buyer,
        generate_qrcode: true,
        expiration: 3600,
      },
    },
    payouts: {
      "payout-cpf": payout("cpf", "52998224725"),
      "payout-email": payout("email", "joao.pereira@example.com"),
      "payout-evp": payout("evp", "123e4567-e89b-12d3-a456-426655440000"),
      "payout-phone": payout("phone", "+5511987654321"),
    },
    payinSimulation: {
      "payin-simulation": {
        transaction_id: "7d5d1c9e-3f0a-4b6c-9a53-0c6a9f1f2b10",
        status: "completed",
      },
    },
    payoutSimulation: {
      "payout-simulation": {
        transaction_id: "f2b1c7a4-52d8-4e0b-8d1f-6f3f0a9c4e21",
        status: "completed",
      },
    },
    webhook: {
      "webhook-configuration": { webhook_url, events: ["payment.received", "payment.failed"] },
    },
  };
}
