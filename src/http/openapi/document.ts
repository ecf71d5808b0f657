import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import { MAGIC } from "../../core/faults/magic.ts";
import { SNAPSHOT_NAME } from "../../wire/forms.ts";
import { splitKey } from "../../wire/route-key.ts";
import { TOTAL_HEADER } from "../../wire/names.ts";
import { VERSION } from "../../wire/names.ts";
import { SINK_ID } from "../context/sink.ts";
import type { Route } from "../definitions/route.ts";
import type { Rules } from "../parse/body.ts";
import { GROUPS } from "../routes/table.ts";
import { errorEnvelope, problem } from "../schemas/error.ts";
import { webhook } from "../schemas/records.ts";
import { english } from "../../text/languages.ts";
import { refusalsOf } from "./refusals.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface ApiDescription {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  readonly [member: string]: unknown;
}

/** The sandbox that the document describes. */
interface DescribedSandbox {
  readonly serverUrl: string;
  /** Whether it has a control token. */
  readonly isProtected?: boolean;
}

/** A route with its key, and the name of its operation in the document. */
interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly route: Route;
}

const OPERATIONS: readonly Operation[] = Object.entries(GROUPS).flatMap(([tag, table]) =>
  Object.entries<Route>(table).map(([key, route]) => {
    const { method, path } = splitKey(key);
    const id = method.toLowerCase() + inPascalCase(key.slice(method.length));
    return { id, method: method.toLowerCase(), path, tag, route };
  }),
);

/** Describes every route under these assumptions: the gateway's completely, control routes with one kind of error. */
export function describeApi(
  assumptions: Assumptions,
  { serverUrl, isProtected = false }: DescribedSandbox = { serverUrl: "http://127.0.0.1:7490" },
): ApiDescription {
  const { answers, schemas } = (ofAnswers ??= describeAnswers());
  const bodies: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of OPERATIONS) {
    const { id, method, path, tag, route } = operation;
    const parameters = [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => inPath(name)),
      ...(route.gateway ? identification(route, assumptions) : [INTEGRATION]),
      ...(route.query ? describeQuery(route.query) : []),
    ];
    (paths[path] ??= {})[method] = {
      operationId: id,
      tags: [tag],
      summary: route.summary,
      ...(route.description !== undefined && { description: route.description }),
      ...(isProtected && !route.gateway && !route.isOpen && { security: SECURITY }),
      parameters,
      ...describeBody(operation, bodies, assumptions),
      responses: {
        "200": describeAnswer(operation, answers, assumptions),
        ...(route.gateway
          ? describeRefusals(operation, assumptions)
          : { ...describeOthers(operation, answers), default: REFUSAL }),
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
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: { event: { post: describeWebhook(assumptions) } },
    components: {
      schemas: { ...bodies, ...schemas },
      ...(isProtected && { securitySchemes: SCHEMES }),
    },
  };
}

/** The schemas of all responses, by operation and status, and the ones with a name. They do not depend on assumptions. */
function describeAnswers() {
  const shape = Object.fromEntries(
    OPERATIONS.flatMap(({ id, route: { answer, otherAnswers = {} } }) => [
      [id, answer] as const,
      ...Object.entries(otherAnswers).map(([status, other]) => [`${id} ${status}`, other] as const),
    ]),
  );
  const all = z.object({ ...shape, webhook, errorEnvelope, problem });
  const text = JSON.stringify(z.toJSONSchema(all, { io: "output" }));
  const { properties, $defs } = JSON.parse(
    text.replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Record<"properties" | "$defs", Readonly<Record<string, JsonSchema>>>;
  return { answers: properties, schemas: $defs };
}

let ofAnswers: ReturnType<typeof describeAnswers> | undefined;

/** @param bodies receives the schema of the body */
function describeBody(
  { path, route: { body, gateway, isBodyOptional = false } }: Operation,
  bodies: Record<string, JsonSchema>,
  assumptions: Assumptions,
): JsonSchema {
  const { describeBody: describe, bodyId = bodyIdOf(path) } = gateway ?? {};
  const found = describe?.(assumptions) ?? (body && { schema: body, examples: {} });
  if (!found) return {};
  const { schema, rules, examples } = found;
  // A body that an assumption forbids is no example.
  const valid = Object.entries(examples).filter(([, value]) => schema.safeParse(value).success);
  const named = valid.length > 0 && {
    examples: Object.fromEntries(valid.map(([name, value]) => [name, { value }])),
  };
  bodies[bodyId] = describeMembers(schema, rules);
  return {
    requestBody: {
      required: !isBodyOptional,
      content: { "application/json": { schema: refTo(bodyId), ...named } },
    },
  };
}

/** The JSON Schema of a body or a query; a member's rule in words is its description. */
function describeMembers(schema: z.ZodType, rules: Rules = {}): JsonSchema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: "input" });
  const members = Object.entries(described.properties ?? {}) as [string, JsonSchema][];
  const properties = members.map(([name, member]) => {
    const rule = rules[name];
    return [name, typeof rule === "object" ? { description: english(rule), ...member } : member];
  });
  return { ...described, properties: Object.fromEntries(properties) as JsonSchema };
}

/** The parameters of a query. Numbers are read from text, and described as numbers. */
function describeQuery(query: z.ZodObject): readonly JsonSchema[] {
  const { properties } = describeMembers(query);
  return Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, { description, pattern: _digits, ...schema }]) => {
      // z.toJSONSchema leaves out the default of a member that is transformed.
      const standard = z.safeParse(query.shape[name] as z.ZodType, undefined).data;
      const keywords = { ...schema, ...(standard !== undefined && { default: standard }) };
      return { name, in: "query", description, schema: keywords };
    },
  );
}

function describeAnswer(
  { id, route: { query, gateway, isStream, otherTypes = [] } }: Operation,
  answers: Readonly<Record<string, JsonSchema>>,
  assumptions: Assumptions,
): JsonSchema {
  const text = { type: "string" };
  if (isStream)
    return {
      description: "The stream; it does not end by itself.",
      content: { "text/event-stream": { schema: text } },
    };
  const isRepeated = [assumptions["idempotency.repeat"], assumptions["idempotency.mismatch"]];
  const headers = {
    ...(gateway && dependencyHeaders(gateway)),
    ...(gateway?.isKeyed && isRepeated.includes("replay") && REPEATED),
    ...(query && "order" in query.shape && TOTAL),
  };
  return {
    description: "Done.",
    ...(Object.keys(headers).length > 0 && { headers }),
    content: {
      "application/json": { schema: answers[id] },
      ...Object.fromEntries(otherTypes.map((type) => [type, { schema: text }])),
    },
  };
}

function describeOthers(
  { id, route: { otherAnswers = {} } }: Operation,
  answers: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return Object.fromEntries(
    Object.keys(otherAnswers).map((status) => {
      const content = { "application/json": { schema: answers[`${id} ${status}`] } };
      return [status, { description: "Not now.", content }];
    }),
  );
}

/** Every refusal of a gateway route, with its reasons and an example. */
function describeRefusals({ method, path, route }: Operation, assumptions: Assumptions) {
  const isProblem = path.startsWith("/v2/");
  const [type, schema] = isProblem
    ? ["application/problem+json", refTo("Problem")]
    : ["application/json", refTo("Error")];
  const refusals = refusalsOf(route, assumptions, { hasBody: method !== "get", isProblem });
  return Object.fromEntries(
    refusals.map(({ status, description, example }) => {
      const headers = { ...dependencyHeaders(route.gateway), ...(status === 429 && RETRY_AFTER) };
      return [status, { description, headers, content: { [type as string]: { schema, example } } }];
    }),
  );
}

/** The headers that name what a response depends on; only calls that create have magic values. */
function dependencyHeaders(gateway: Route["gateway"]): JsonSchema {
  return { ...ASSUMPTION_HEADER, ...(gateway?.isKeyed && MAGIC_HEADER) };
}

/** The headers that identify the caller of a gateway route. */
function identification(route: Route, assumptions: Assumptions): readonly JsonSchema[] {
  const country = assumptions["country_code"] === "br_only" ? "^[Bb][Rr]$" : "^[A-Za-z]{2}$";
  const key = "06fb787a-240b-4cc9-981a-8f8f018e5c72";
  const rows = [
    ["x-api-token", "Authentication token of the integration.", "sandbox"],
    ["x-provider-id", "The provider's identifier.", "42"],
    ["x-provider", "The provider's name, which BR Codes contain.", "Loja da Maria"],
    ["x-country-code", "Country of the operation, such as BR.", "BR", country],
    ...(route.gateway?.isKeyed
      ? [["x-idempotency-key", "A key for each operation; a retry sends the same key.", key]]
      : []),
  ];
  const headers = rows.map(([name, description, example, pattern = FILLED]) => {
    const schema = { type: "string", pattern };
    return { name, in: "header", required: true, description, schema, example };
  });
  return route.operation ? [...headers, REQUESTED_FAULT] : headers;
}

/** The webhook that a merchant receives, at the address in the request or in its configuration. */
function describeWebhook(assumptions: Assumptions): JsonSchema {
  const headers = {
    "webhook-id": "The event's id, the same at every attempt.",
    "webhook-timestamp": "When the attempt is made: seconds since 1970, of real time.",
    "webhook-signature":
      "`v1,` and the signature of id, timestamp and body, as Standard Webhooks has it.",
  };
  const success = assumptions["webhook.success"] === "only_200" ? "200" : "2XX";
  return {
    operationId: "receiveWebhook",
    tags: ["Webhooks"],
    summary: "Reports the outcome of a payin or payout to the merchant, at least once.",
    ...(assumptions["webhook.signature"] === "standard_webhooks" && {
      parameters: Object.entries(headers).map(([name, description]) => {
        const schema = { type: "string" };
        return { name, in: "header", required: true, description, schema };
      }),
    }),
    requestBody: { required: true, content: json("Webhook") },
    responses: {
      [success]: {
        description: "Received. Any other response, including a redirect, is a failure.",
      },
      "410": { description: "The merchant rejects further attempts: the delivery ends." },
    },
  };
}

/** The name of a control route's body: no path has two. */
function bodyIdOf(path: string): string {
  return `${inPascalCase(path.replaceAll(/\/_sandbox|\{\w+\}/g, ""))}Body`;
}

function inPascalCase(path: string): string {
  return path.replaceAll(/\W*(\w)(\w*)\W*/g, (_, first: string, rest: string) => {
    return first.toUpperCase() + rest;
  });
}

function json(id: string): JsonSchema {
  return { "application/json": { schema: refTo(id) } };
}

function refTo(id: string): JsonSchema {
  return { $ref: `#/components/schemas/${id}` };
}

/** At least one character that is not blank. */
const FILLED = String.raw`\S`;

function inPath(name: string): JsonSchema {
  const [description, pattern] = PATH_VALUES[name] ?? [];
  const schema = { type: "string", ...(pattern !== undefined && { pattern }) };
  return { name, in: "path", required: true, description, schema };
}

const PATH_VALUES: Readonly<Record<string, readonly [description: string, pattern?: string]>> = {
  id: ["The record's id."],
  name: ["The snapshot's name; each integration has names of its own.", SNAPSHOT_NAME],
  sink: ["Any id; the list can be filtered by it.", SINK_ID],
};

const INTEGRATION = {
  name: "x-api-token",
  in: "header",
  description:
    "Limits the call to that integration. Without it the call acts on all integrations. An empty value is refused.",
  schema: { type: "string", pattern: FILLED },
};

const REQUESTED_FAULT = {
  name: "x-sandbox-fault",
  in: "header",
  description:
    "The fault of this call, with the values of a fault's `effect`. For example, `error=EXTERNAL_ERROR` returns that code and its status.",
  schema: { type: "string" },
};

const REFUSAL = { description: "A refusal.", content: json("Error") };

const REPEATED = {
  "idempotent-replayed": {
    description: "Set if the response is that of an earlier call with the same key.",
    schema: { type: "string", const: "true" },
  },
};

const RETRY_AFTER = {
  "retry-after": {
    description: "The seconds until the next request is admitted.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
};

/** The ways to send the control token. */
const SCHEMES: Readonly<Record<string, JsonSchema>> = {
  controlToken: {
    type: "http",
    scheme: "bearer",
    description: "The control token that the sandbox was started with.",
  },
  controlTokenAsPassword: {
    type: "http",
    scheme: "basic",
    description: "The control token as the password, with any user name.",
  },
};
const SECURITY = Object.keys(SCHEMES).map((name) => ({ [name]: [] }));

const TOTAL = {
  [TOTAL_HEADER]: {
    description: "The number of rows of the whole list. Absent if the list is filtered.",
    schema: { type: "integer", minimum: 0 },
  },
};

const ASSUMPTION_HEADER = {
  "x-sandbox-assumption": {
    description:
      "The non-default choices that this response depends on, comma-separated; with `serve --explain` all choices that it depends on.",
    schema: { type: "string", pattern: "^[^=, ]+=[^=, ]+(, [^=, ]+=[^=, ]+)*$" },
  },
};

const MAGIC_HEADER = {
  "x-sandbox-magic": {
    description:
      "The meaning of the magic value that this response depends on, if the sandbox was started with `--magic`; `npx pix-sandbox magic` lists the values.",
    schema: { type: "string", enum: MAGIC.map(({ name }) => name) },
  },
};

const TAGS: Readonly<Record<keyof typeof GROUPS, string>> = {
  Gateway: "The documented gateway, which a merchant's program calls.",
  Records: "Payins and payouts, and the moves of their buyers and receivers.",
  Webhooks: "The webhooks sent to merchants, and the stream of events.",
  Clock: "The sandbox's time.",
  Faults:
    "Failures on demand. The header `x-sandbox-fault` requests one for a single call that creates or simulates.",
  Sandbox: "The sandbox itself.",
};

const INTRODUCTION = `A sandbox of a Pix gateway. The routes under \`/_sandbox\` exist only in the sandbox; they need no token, unless the sandbox was started with \`--control-token\`.

\`x-api-token\` names an integration, and each is isolated from the others. This document describes the sandbox for the integration that requests it: the choices made where the specification is silent (\`GET /_sandbox/assumptions\`) change rules and statuses.

Every refusal has the body \`Error\`, under \`/v2\` \`Problem\`. A control route answers 400 to an invalid value, 404 to an unknown id or another integration's, 422 to a move that the status forbids, and 503 if the sandbox cannot store its state. An unknown path gets a 404, and a method that a path does not accept a 405 with an \`allow\` header, both with the code \`NOT_PROCESSABLE\`. Every path with a \`GET\` accepts \`HEAD\` too. A body with a transfer coding other than chunked gets a 501, and a connection beyond the limit a 503. A 500 is an error of the sandbox itself.

JSON Schema has no keyword for some rules: an amount in reais has at most 2 decimals, a \`webhook_url\` must not be a link-local or metadata address or have port 0, \`null\` and blanks are \`EMPTY_VALUE\`, and a JSON body is at most 1 MiB and at most 32 levels deep.`;
