import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import { MAGIC } from "../../core/faults/magic.ts";
import { TOTAL_HEADER, VERSION } from "../../wire/names.ts";
import type { Rules } from "../parse/readers.ts";
import type { JsonSchema } from "../definitions/json-schema.ts";
import { byStatus } from "../definitions/refusals.ts";
import type { Route, RouteBody } from "../definitions/route.ts";
import { allRoutes } from "../routes/all-routes.ts";
import { SNAPSHOT_NAME } from "../../wire/forms.ts";
import { SINK_ID } from "../context/sink.ts";
import { webhook } from "../schemas/delivery.ts";
import { requestExample } from "../schemas/request.ts";
import { errorEnvelope, problem } from "../schemas/error.ts";
import { english } from "../../text/languages.ts";

export interface ApiDescription {
  readonly openapi: string;
  readonly info: JsonSchema;
  readonly servers: readonly JsonSchema[];
  readonly security: readonly JsonSchema[];
  readonly tags: readonly JsonSchema[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly webhooks: JsonSchema;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes?: Readonly<Record<string, JsonSchema>>;
  };
}

/** The sandbox that the document describes. */
export interface DescribedSandbox {
  readonly serverUrl: string;
  /** Whether it has a control token. */
  readonly isProtected?: boolean;
}

/** Describes every route under these assumptions. */
export async function describeApi(
  assumptions: Assumptions,
  sandbox: DescribedSandbox = { serverUrl: "http://127.0.0.1:7490" },
): Promise<ApiDescription> {
  return describeRoutes(await allRoutes(), assumptions, sandbox);
}

/** Describes routes from their definitions, which also validate and handle the calls. */
export function describeRoutes(
  routes: readonly Route[],
  assumptions: Assumptions,
  { serverUrl, isProtected = false }: DescribedSandbox,
): ApiDescription {
  const bodies = new Map<string, JsonSchema>();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    const needsToken = isProtected && route.path.startsWith("/_sandbox/") && !route.isOpen;
    methods[route.method.toLowerCase()] = describeRoute(route, bodies, assumptions, needsToken);
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
      schemas: { ...Object.fromEntries(bodies), ...answerSchemas(routes) },
      ...(isProtected && { securitySchemes: SCHEMES }),
    },
  };
}

/** @param bodies receives the schema of the route's body */
function describeRoute(
  route: Route,
  bodies: Map<string, JsonSchema>,
  assumptions: Assumptions,
  needsToken: boolean,
): JsonSchema {
  const { path, id, tag, summary, query, body, stream } = route;
  const parameters = [
    ...(path.includes("{id}") ? [ID] : []),
    ...(path.includes("{name}") ? [NAME] : []),
    ...(path.includes("{sink}") ? [SINK] : []),
    ...headersOf(route, assumptions),
    ...(route.operation ? [REQUESTED_FAULT] : []),
    ...(query ? describeQuery(query) : []),
    ...(stream?.parameters ?? []),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(stream && { description: stream.description }),
    ...(needsToken && { security: Object.keys(SCHEMES).map((name) => ({ [name]: [] })) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: describeBody(body, bodies, assumptions) }),
    responses: {
      "200": describeAnswer(route, assumptions),
      ...describeRefusals(route, assumptions, needsToken),
      ...(route.otherAnswers?.[503] && {
        "503": {
          description: route.otherAnswers[503].meta()?.description ?? "",
          content: json(route.otherAnswers[503]),
        },
      }),
    },
  };
}

function describeBody(
  { id, isOptional = false, describe }: RouteBody,
  bodies: Map<string, JsonSchema>,
  assumptions: Assumptions,
): JsonSchema {
  const { schema, rules = {}, examples } = describe(assumptions);
  // A body that an assumption forbids is no example.
  const valid = Object.entries(examples).filter(([, value]) => schema.safeParse(value).success);
  const described = describeMembers(schema, rules);
  bodies.set(id, { ...described, examples: valid.map(([, value]) => value) });
  return {
    required: !isOptional,
    content: {
      "application/json": {
        schema: refTo(id),
        examples: Object.fromEntries(valid.map(([name, value]) => [name, { value }])),
      },
    },
  };
}

/** The JSON Schema of a body or a query; a member's rule in words is its description. */
function describeMembers(schema: z.ZodType, rules: Rules): JsonSchema {
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
  const { properties } = describeMembers(query, {});
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
  { answer, otherTypes = {}, caller, query, stream }: Route,
  assumptions: Assumptions,
): JsonSchema {
  if (stream)
    return {
      description: "The stream; it does not end by itself.",
      // OpenAPI 3.1 has no keyword for the parts of a stream: an extension names their schema.
      content: {
        "text/event-stream": {
          schema: { type: "string" },
          "x-item-schema": refTo(idOf(answer)),
          example: stream.example,
        },
      },
    };
  const isRepeated =
    assumptions["idempotency.repeat"] === "replay" ||
    assumptions["idempotency.mismatch"] === "replay";
  return {
    description: "Done.",
    ...(isGatewayCaller(caller) && {
      headers: {
        ...(caller === "identified, with key" && isRepeated && REPEATED),
        ...dependencyHeaders(caller),
      },
    }),
    ...(query && "order" in query.shape && { headers: TOTAL }),
    content: {
      "application/json": { schema: refTo(idOf(answer)) },
      ...Object.fromEntries(
        Object.entries(otherTypes).map(([type, example]) => [
          type,
          { schema: { type: "string" }, example },
        ]),
      ),
    },
  };
}

function describeRefusals(route: Route, assumptions: Assumptions, needsToken: boolean): JsonSchema {
  const { path, method, caller, query, body, otherAnswers = {}, refusals = [] } = route;
  const isProblem = path.startsWith("/v2/");
  const statuses = byStatus(
    [
      "malformed",
      "foreign",
      ...(needsToken ? (["noControlToken", "wrongControlTokens"] as const) : []),
      ...(query || body ? (["invalid"] as const) : []),
      ...refusals,
      // A body is read even if the route does not use it.
      ...(method === "GET" ? [] : (["unreadable", "tooLarge", "notJson"] as const)),
    ],
    assumptions,
    { canFail: route.operation !== undefined, format: isProblem ? "problem" : "envelope" },
  );
  const answers = statuses.map(({ status, description, example }) => {
    const headers = {
      ...(isGatewayCaller(caller) && dependencyHeaders(caller)),
      ...(status === 429 && RETRY_AFTER),
      ...(needsToken && status === 401 && CHALLENGE),
    };
    const other = otherAnswers[status];
    const content = isProblem
      ? { "application/problem+json": { schema: refTo(idOf(problem)), example } }
      : { "application/json": { schema: refTo(idOf(errorEnvelope)), example } };
    return [
      String(status),
      {
        description,
        ...(Object.keys(headers).length > 0 && { headers }),
        content: other ? json(other) : content,
      },
    ] as const;
  });
  return Object.fromEntries(answers);
}

function isGatewayCaller(caller: Route["caller"]): boolean {
  return caller === "identified" || caller === "identified, with key";
}

/** The headers that name what a response depends on; only calls that create have magic values. */
function dependencyHeaders(caller: Route["caller"]): JsonSchema {
  return { ...ASSUMPTION_HEADER, ...(caller === "identified, with key" && MAGIC_HEADER) };
}

function headersOf({ caller }: Route, assumptions: Assumptions): readonly JsonSchema[] {
  if (caller === undefined) return [];
  if (caller === "integration") return [INTEGRATION];
  const isBrazilOnly = assumptions["country_code"] === "br_only";
  const required: readonly (readonly [name: string, description: string, schema: JsonSchema])[] = [
    ["x-api-token", "Authentication token of the integration.", FILLED],
    ["x-provider-id", "The provider's identifier.", FILLED],
    ["x-provider", "The provider's name, which BR Codes contain.", FILLED],
    [
      "x-country-code",
      "Country of the operation, such as BR.",
      { type: "string", pattern: isBrazilOnly ? "^[Bb][Rr]$" : "^[A-Za-z]{2}$" },
    ],
  ];
  const key = [
    "x-idempotency-key",
    "A key for each operation; a retry sends the same key.",
    FILLED,
  ] as const;
  return [...required, ...(caller === "identified, with key" ? [key] : [])].map(
    ([name, description, schema]) => ({
      name,
      in: "header",
      required: true,
      description,
      schema,
      example: HEADER_EXAMPLES[name],
    }),
  );
}

/** API clients that import the document send these. */
const HEADER_EXAMPLES: Readonly<Record<string, string>> = {
  ...requestExample.headers,
  "x-api-token": "sandbox",
};

/** The webhook that a merchant receives, at the address in the request or in its configuration. */
function describeWebhook(assumptions: Assumptions): JsonSchema {
  const isSigned = assumptions["webhook.signature"] === "standard_webhooks";
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
    ...(isSigned && {
      parameters: Object.entries(headers).map(([name, description]) => ({
        name,
        in: "header",
        required: true,
        description,
        schema: { type: "string" },
      })),
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

/** The schemas of all responses by their ids; they refer to each other as components of the document. */
function answerSchemas(routes: readonly Route[]): Readonly<Record<string, JsonSchema>> {
  const schemas = [
    ...routes.flatMap(({ answer, otherAnswers = {}, stream }) => [
      answer,
      ...Object.values(otherAnswers),
      ...(stream?.data ?? []),
    ]),
    webhook,
    errorEnvelope,
    problem,
  ];
  const shape = Object.fromEntries(schemas.map((schema) => [idOf(schema), schema]));
  const { $defs = {} } = z.toJSONSchema(z.object(shape), { io: "output" });
  const text = JSON.stringify($defs).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Record<string, JsonSchema>;
}

function json(schema: z.ZodType): JsonSchema {
  return { "application/json": { schema: refTo(idOf(schema)) } };
}

function refTo(id: string): JsonSchema {
  return { $ref: `#/components/schemas/${id}` };
}

/** @throws TypeError for a schema whose metadata has no id. */
function idOf(schema: z.ZodType): string {
  const { id } = schema.meta() ?? {};
  if (id === undefined) throw new TypeError("The schema of a response needs an id: .meta({ id }).");
  return id;
}

/** At least one character that is not blank. */
const FILLED: JsonSchema = { type: "string", pattern: String.raw`\S` };

const ID: JsonSchema = {
  name: "id",
  in: "path",
  required: true,
  description: "The record's id.",
  schema: { type: "string" },
};

const NAME: JsonSchema = {
  name: "name",
  in: "path",
  required: true,
  description: "The snapshot's name; each integration has names of its own.",
  schema: { type: "string", pattern: SNAPSHOT_NAME },
};

const SINK: JsonSchema = {
  name: "sink",
  in: "path",
  required: true,
  description: "Any id; the list can be filtered by it.",
  schema: { type: "string", pattern: SINK_ID },
};

const INTEGRATION: JsonSchema = {
  name: "x-api-token",
  in: "header",
  description:
    "Limits the call to that integration. Without it the call acts on all integrations. An empty value is refused.",
  schema: FILLED,
};

const REQUESTED_FAULT: JsonSchema = {
  name: "x-sandbox-fault",
  in: "header",
  description:
    "The fault of this call, with the values of a fault's `effect`. For example, `error=EXTERNAL_ERROR` returns that code and its status.",
  schema: { type: "string" },
};

const REPEATED: JsonSchema = {
  "idempotent-replayed": {
    description: "Set if the response is that of an earlier call with the same key.",
    schema: { type: "string", const: "true" },
  },
};

const RETRY_AFTER: JsonSchema = {
  "retry-after": {
    description: "The seconds until the next request is admitted.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
};

const CHALLENGE: JsonSchema = {
  "www-authenticate": {
    description:
      "The scheme in which the token is expected: `Bearer`, or `Basic` for a page that a browser opens.",
    required: true,
    schema: { type: "string" },
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

const TOTAL: JsonSchema = {
  [TOTAL_HEADER]: {
    description: "The number of rows of the whole list. Absent if the list is filtered.",
    schema: { type: "integer", minimum: 0 },
  },
};

const ASSUMPTION_HEADER: JsonSchema = {
  "x-sandbox-assumption": {
    description:
      "The non-default choices that this response depends on, comma-separated; with `serve --explain` all choices that it depends on.",
    schema: { type: "string", pattern: "^[^=, ]+=[^=, ]+(, [^=, ]+=[^=, ]+)*$" },
  },
};

const MAGIC_HEADER: JsonSchema = {
  "x-sandbox-magic": {
    description:
      "The meaning of the magic value that this response depends on, if the sandbox was started with `--magic`; `npx pix-sandbox magic` lists the values.",
    schema: { type: "string", enum: Object.keys(MAGIC) },
  },
};

const TAGS: Readonly<Record<Route["tag"], string>> = {
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

Every refusal has the body \`Error\`, under \`/v2\` \`Problem\`. An unknown path gets a 404, and a method that a path does not accept a 405 with an \`allow\` header, both with the code \`NOT_PROCESSABLE\`. Every path with a \`GET\` accepts \`HEAD\` too. A body with a transfer coding other than chunked gets a 501, and a connection beyond the limit a 503. A 500 is an error of the sandbox itself.

JSON Schema has no keyword for some rules: an amount in reais has at most 2 decimals, a \`webhook_url\` must not be a link-local or metadata address or have port 0, \`null\` and blanks are \`EMPTY_VALUE\`, and a JSON body is at most 1 MiB and at most 32 levels deep.`;
