import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError, type TopLevelCode, TOP_LEVEL_CODES } from "../../core/records/errors.ts";
import { TOTAL_HEADER, VERSION } from "../../wire/names.ts";
import { splitKey } from "../../wire/route-key.ts";
import { HttpRefusal, toErrorAnswer } from "../calls/refusals.ts";
import type { Route } from "../definitions/route.ts";
import { GROUPS } from "../routes/table.ts";
import { errorEnvelope, problem } from "../schemas/error.ts";
import { webhook } from "../schemas/records.ts";
import { english } from "../../text/languages.ts";
import { verbatim } from "../../text/message.ts";

type Json = Readonly<Record<string, unknown>>;

export interface ApiDescription {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
  readonly [member: string]: unknown;
}

/** Describes every route under these assumptions: the gateway's completely, control routes with one kind of error. */
export function describeApi(
  assumptions: Assumptions,
  serverUrl = "http://127.0.0.1:7490",
  isProtected = false,
): ApiDescription {
  const bodies: Record<string, Json> = {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const [tag, table] of Object.entries(GROUPS))
    for (const [key, route] of Object.entries<Route>(table)) {
      const { method, path } = splitKey(key);
      const isGuarded = isProtected && !route.gateway && !route.isOpen;
      (paths[path] ??= {})[method.toLowerCase()] = {
        operationId: method.toLowerCase() + inPascalCase(key.slice(method.length)),
        tags: [tag],
        summary: route.summary,
        ...(route.description !== undefined && { description: route.description }),
        ...(isGuarded && { security: [{ controlToken: [] }] }),
        parameters: [
          ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
            parameter(name, PATH_VALUES[name], { in: "path" }),
          ),
          ...(route.gateway ? identification(route, assumptions) : [INTEGRATION]),
          ...(route.query ? describeQuery(route.query) : []),
        ],
        ...describeBody(route, path, bodies, assumptions),
        responses: {
          "200": describeAnswer(route, assumptions),
          ...(route.gateway
            ? describeRefusals(route, assumptions, path.startsWith("/v2/"))
            : { default: { description: "A refusal.", content: json(route.refusal) } }),
        },
      };
    }
  return {
    openapi: "3.1.1",
    info: {
      title: "pix-sandbox",
      version: VERSION,
      summary: "A Pix instant-payment gateway that runs on your own machine.",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    // The headers that identify are parameters of each operation.
    security: [],
    tags: Object.keys(GROUPS).map((name) => ({ name })),
    paths,
    webhooks: { event: { post: describeWebhook(assumptions) } },
    components: {
      schemas: { ...bodies, ...named },
      ...(isProtected && { securitySchemes: { controlToken: { type: "http", scheme: "bearer" } } }),
    },
  };
}

/** Schemas by their names, as they were met in others. They do not depend on assumptions. */
const named: Record<string, Json> = {};
const known = new WeakMap<z.ZodType, Json>();

/** The JSON Schema of a value; schemas that have a name are referred to. */
function schemaOf(schema: z.ZodType, io: "input" | "output" = "output"): Json {
  const before = known.get(schema);
  if (before) return before;
  const text = JSON.stringify(z.toJSONSchema(z.object({ schema }), { io }));
  const { properties, $defs = {} } = JSON.parse(
    text.replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as { properties: { schema: Json }; $defs?: Record<string, Json> };
  Object.assign(named, $defs);
  known.set(schema, properties.schema);
  return properties.schema;
}

function json(schema: z.ZodType = errorEnvelope): Json {
  return { "application/json": { schema: schemaOf(schema) } };
}

/** @param bodies receives the schema of the body, under a name that follows from the path */
function describeBody(
  { body, gateway, isBodyOptional = false }: Route,
  path: string,
  bodies: Record<string, Json>,
  assumptions: Assumptions,
): Json {
  const own = gateway?.body?.(assumptions);
  const { schema = body, rules = {}, examples = {} } = own ?? {};
  if (!schema) return {};
  const { properties = {}, ...described } = schemaOf(schema, "input");
  // A member's rule in words is its description.
  const members = Object.entries(properties as Record<string, Json>).map(([name, member]) => {
    const rule = rules[name];
    return [name, typeof rule === "object" ? { description: english(rule), ...member } : member];
  });
  // A body that an assumption forbids is no example.
  const valid = Object.entries(examples).filter(([, value]) => schema.safeParse(value).success);
  const id = `${inPascalCase(path.replaceAll(/^\/\w+|\{\w+\}/g, ""))}Body`;
  bodies[id] = { ...described, properties: Object.fromEntries(members) };
  const media = {
    schema: { $ref: `#/components/schemas/${id}` },
    ...(own && { examples: Object.fromEntries(valid.map(([name, value]) => [name, { value }])) }),
  };
  return { requestBody: { required: !isBodyOptional, content: { "application/json": media } } };
}

/** The parameters of a query. Numbers are read from text, and described as numbers. */
function describeQuery(query: z.ZodObject): readonly Json[] {
  const { properties } = schemaOf(query, "input") as { properties: Record<string, Json> };
  return Object.entries(properties).map(([name, { description, pattern: _digits, ...schema }]) => {
    // z.toJSONSchema leaves out the default of a member that is transformed.
    const standard = z.safeParse(query.shape[name] as z.ZodType, undefined).data;
    const keywords = { ...schema, ...(standard !== undefined && { default: standard }) };
    return { name, in: "query", description, schema: keywords };
  });
}

function describeAnswer(
  { query, gateway, answer, contentTypes = ["application/json"] }: Route,
  assumptions: Assumptions,
): Json {
  const repeats = [assumptions["idempotency.repeat"], assumptions["idempotency.mismatch"]];
  const schemas = contentTypes.map((type) => {
    const isJson = type === "application/json";
    return [type, { schema: isJson ? schemaOf(answer) : { type: "string" } }];
  });
  return {
    description: "Done.",
    ...headers(gateway, [
      ...(gateway?.isKeyed && repeats.includes("replay") ? ["idempotent-replayed"] : []),
      ...(query && "order" in query.shape ? [TOTAL_HEADER] : []),
    ]),
    content: Object.fromEntries(schemas),
  };
}

/** A reason for a refusal. Its status is that of its code, unless it has one of its own. */
type Reason = readonly [isPossible: boolean, TopLevelCode, because: string, status?: number];

/** Every refusal of a gateway route: each status with its reasons, and an example of the first. */
function describeRefusals(route: Route, assumptions: Assumptions, isProblem: boolean): Json {
  const { isKeyed = false, refusals = [], body } = route.gateway ?? {};
  const isFaulty = route.operation !== undefined;
  const canLackCredential =
    assumptions["header.missing"] === "unauthorized" || assumptions.credentials === "listed";
  const isRefused = refusals.includes("rival") && assumptions["payout.rival"] === "reject";
  const reasons: readonly Reason[] = [
    [true, "VALIDATION_ERROR", "the address, a header or a member of the body is invalid."],
    [true, "NOT_PROCESSABLE", "the `Host` or the `Origin` is not allowed.", 403],
    [canLackCredential, "NO_ACTIVE_CREDENTIAL", "an identification header is missing or unknown."],
    [isKeyed, "DUPLICATED_VALUE", "`x-idempotency-key` was used before, for another request."],
    [isRefused, "NOT_PROCESSABLE", "the receiver has a payout in progress."],
    [refusals.includes("simulation"), "NOT_PROCESSABLE", "the transaction is unknown or final."],
    [refusals.includes("simulation"), "NOT_PROCESSABLE", "the environment is production."],
    [refusals.includes("notConfigured"), "NOT_PROCESSABLE", "no webhook is configured.", 404],
    [assumptions["rate_limit.per_minute"] > 0, "NOT_PROCESSABLE", "too many requests.", 429],
    [true, "EXTERNAL_ERROR", "the sandbox cannot write its state.", 503],
    [body !== undefined, "VALIDATION_ERROR", "the body is larger than 1 MiB.", 413],
    [body !== undefined, "VALIDATION_ERROR", "the body is not plain JSON in UTF-8.", 415],
    ...TOP_LEVEL_CODES.map((code): Reason => [isFaulty, code, "a fault caused it."]),
  ];
  const form = {
    language: assumptions["error.language"],
    isProblem,
    trace: new AssumptionTrace(assumptions),
  };
  const type = isProblem ? "application/problem+json" : "application/json";
  const schema = schemaOf(isProblem ? problem : errorEnvelope);
  const responses: Record<number, { description: string; readonly content: Json }> = {};
  for (const [isPossible, code, because, own] of reasons) {
    if (!isPossible) continue;
    const text = verbatim(because.charAt(0).toUpperCase() + because.slice(1));
    const error = own === undefined ? new GatewayError(code, text) : new HttpRefusal(own, text);
    const refusal = toErrorAnswer(error, form);
    const description = `\`${code}\`: ${because}`;
    const listed = responses[refusal.status];
    if (listed) listed.description += `\n\n${description}`;
    else {
      const example = JSON.parse(refusal.body as string) as unknown;
      const sent = headers(route.gateway, refusal.status === 429 ? ["retry-after"] : []);
      responses[refusal.status] = {
        description,
        ...sent,
        content: { [type]: { schema, example } },
      };
    }
  }
  return responses;
}

/** The headers of a response; those of the gateway name what it depends on. */
function headers(gateway: Route["gateway"], more: readonly string[]): Json {
  const own = gateway
    ? ["x-sandbox-assumption", ...(gateway.isKeyed ? ["x-sandbox-magic"] : [])]
    : [];
  const rows = [...own, ...more].map((name) => {
    return [name, { description: HEADERS[name], schema: { type: "string" } }];
  });
  return rows.length > 0 ? { headers: Object.fromEntries(rows) } : {};
}

/** A parameter with a value that is not blank; by default a required header. */
function parameter(name: string, description: string | undefined, more: Json = {}): Json {
  const schema = { type: "string", pattern: String.raw`\S` };
  return { name, in: "header", required: true, description, schema, ...more };
}

/** The headers that identify the caller of a gateway route. */
function identification({ gateway, operation }: Route, assumptions: Assumptions): readonly Json[] {
  const pattern = assumptions["country_code"] === "br_only" ? "^[Bb][Rr]$" : "^[A-Za-z]{2}$";
  const country = { schema: { type: "string", pattern }, example: "BR" };
  const key = { example: "06fb787a-240b-4cc9-981a-8f8f018e5c72" };
  return [
    parameter("x-api-token", "The integration's token.", { example: "sandbox" }),
    parameter("x-provider-id", "The provider's identifier.", { example: "42" }),
    parameter("x-provider", "The provider's name, which BR Codes contain.", { example: "Loja" }),
    parameter("x-country-code", "Country of the operation, such as BR.", country),
    ...(gateway?.isKeyed
      ? [parameter("x-idempotency-key", "A key for each operation, repeated by a retry.", key)]
      : []),
    ...(operation ? [REQUESTED_FAULT] : []),
  ];
}

/** The webhook that a merchant receives, at the address in the request or in its configuration. */
function describeWebhook(assumptions: Assumptions): Json {
  const success = assumptions["webhook.success"] === "only_200" ? "200" : "2XX";
  const isSigned = assumptions["webhook.signature"] === "standard_webhooks";
  return {
    operationId: "receiveWebhook",
    tags: ["Webhooks"],
    summary: "Reports the outcome of a payin or payout to the merchant, at least once.",
    ...(isSigned && {
      parameters: [
        parameter("webhook-id", "The event's id, the same at every attempt."),
        parameter("webhook-timestamp", "When the attempt is made: Unix seconds of real time."),
        parameter("webhook-signature", "`v1,` and the signature, as Standard Webhooks has it."),
      ],
    }),
    requestBody: { required: true, content: json(webhook) },
    responses: {
      [success]: {
        description: "Received. Any other response, including a redirect, is a failure.",
      },
      "410": { description: "The merchant rejects further attempts: the delivery ends." },
    },
  };
}

function inPascalCase(text: string): string {
  return text.replaceAll(
    /\W*(\w)(\w*)\W*/g,
    (_, first: string, rest: string) => first.toUpperCase() + rest,
  );
}

const PATH_VALUES: Readonly<Record<string, string>> = {
  id: "The record's id.",
  name: "The snapshot's name; each integration has names of its own.",
  sink: "Any id; the list can be filtered by it.",
};

const INTEGRATION = parameter(
  "x-api-token",
  "Limits the call to that integration. Without it the call acts on all integrations.",
  { required: false },
);

const REQUESTED_FAULT = parameter(
  "x-sandbox-fault",
  "The fault of this call, with the values of a fault's `effect`. For example, `error=EXTERNAL_ERROR` returns that code and its status.",
  { required: false },
);

/** The headers of responses. */
const HEADERS: Readonly<Record<string, string>> = {
  "idempotent-replayed": "`true` if the response is that of an earlier call with the same key.",
  "retry-after": "The seconds until the next request is admitted.",
  "x-sandbox-assumption":
    "The non-default choices that this response depends on, comma-separated; with `serve --explain` all choices that it depends on.",
  "x-sandbox-magic":
    "The meaning of the magic value that this response depends on, if the sandbox was started with `--magic`.",
  [TOTAL_HEADER]: "The number of rows of the whole list. Absent if the list is filtered.",
};

const INTRODUCTION = `A sandbox of a Pix gateway, as the integration that requests this document finds it: the choices made where the specification is silent (\`GET /_sandbox/assumptions\`) change rules and statuses. The routes under \`/_sandbox\` exist only in the sandbox; they need no token, unless the sandbox was started with \`--control-token\`.

A control route answers 400 to a parameter or a member that is unknown or invalid, 404 to an unknown id or another integration's, 422 to a move that the status forbids, and 503 if the sandbox cannot store its state. An unknown path gets a 404, and a method that a path does not accept a 405 with an \`allow\` header. Every path with a \`GET\` accepts \`HEAD\` too.

JSON Schema has no keyword for some rules: an amount in reais has at most 2 decimals, a \`webhook_url\` must not be a link-local or metadata address or have port 0, \`null\` and blanks are \`EMPTY_VALUE\`, and a JSON body is at most 1 MiB and at most 32 levels deep.`;
