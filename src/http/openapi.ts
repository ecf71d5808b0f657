import type { Assumptions } from "../core/assumptions/table.ts";
import { MAGIC } from "../core/faults/magic-values.ts";
import { VERSION } from "../core/version.ts";
import { type AnswerName, answerSchemas } from "./openapi/answers.ts";
import {
  eventSchema,
  STREAM_IN_WORDS,
  streamContent,
  streamParameters,
} from "./openapi/event-stream.ts";
import type { JsonSchema } from "./openapi/json-schema.ts";
import { type Operation, OPERATIONS } from "./openapi/operations.ts";
import { byStatus } from "./openapi/refusals.ts";
import {
  type BodyName,
  describeBodies,
  describeQuery,
  type DescribedBody,
} from "./openapi/requests.ts";
import { SNAPSHOT_NAME } from "./routes/snapshots.ts";

/** An OpenAPI 3.1 document. */
export interface ApiDescription {
  readonly openapi: string;
  readonly info: JsonSchema;
  readonly servers: readonly JsonSchema[];
  readonly security: readonly JsonSchema[];
  readonly tags: readonly JsonSchema[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly webhooks: JsonSchema;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

type Bodies = Readonly<Record<BodyName, DescribedBody>>;

/** Describes every route as it answers under these assumptions, from the schemas that validate. */
export function describeApi(
  assumptions: Assumptions,
  serverUrl = "http://127.0.0.1:7490",
): ApiDescription {
  const bodies = describeBodies(assumptions);
  const requests = Object.entries(bodies).map(([name, { schema }]) => [name, schema] as const);
  return {
    openapi: "3.1.1",
    info: {
      title: "pix-sandbox",
      version: VERSION,
      summary: "A PIX instant-payment gateway that runs on your own machine.",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    // The headers that identify are parameters of each operation.
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Object.entries(OPERATIONS).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [
            method.toLowerCase(),
            describeOperation(path, operation, bodies, assumptions),
          ]),
        ),
      ]),
    ),
    webhooks: { event: { post: describeWebhook(assumptions) } },
    components: {
      schemas: {
        ...Object.fromEntries(requests),
        ...answerSchemas(),
        StreamEvent: eventSchema(),
      },
    },
  };
}

function describeOperation(
  path: string,
  operation: Operation,
  bodies: Bodies,
  assumptions: Assumptions,
): JsonSchema {
  const { id, tag, does, query, body, isBodyOptional = false, answer } = operation;
  const parameters = [
    ...(path.includes("{id}") ? [ID] : []),
    ...(path.includes("{name}") ? [NAME] : []),
    ...headersOf(operation, assumptions),
    ...(operation.canFail ? [ASKED_FAULT] : []),
    ...(query === undefined ? [] : describeQuery(query)),
    ...(answer === "EventStream" ? streamParameters() : []),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary: does,
    ...(answer === "EventStream" && { description: STREAM_IN_WORDS }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: !isBodyOptional,
        content: { "application/json": { schema: ref(body), examples: examplesOf(bodies[body]) } },
      },
    }),
    responses: {
      "200": describeAnswer(operation, assumptions),
      ...describeRefusals(path, operation, assumptions),
      ...(answer === "Health" && { "503": DEGRADED }),
    },
  };
}

function describeAnswer({ answer, asks }: Operation, assumptions: Assumptions): JsonSchema {
  if (answer === "EventStream")
    return {
      description: "The stream; it goes on until somebody ends it.",
      content: streamContent(),
    };
  const isRepeated =
    assumptions["idempotency.repeat"] === "replay" ||
    assumptions["idempotency.mismatch"] === "replay";
  return {
    description: "Done.",
    ...(asks?.startsWith("identification") && {
      headers: {
        ...(asks === "identification and key" && isRepeated && REPEATED),
        ...namedIn(asks),
      },
    }),
    content: json(answer),
  };
}

function describeRefusals(
  path: string,
  { asks, canFail = false, refusals = [] }: Operation,
  assumptions: Assumptions,
): JsonSchema {
  const isProblem = path.startsWith("/v2/");
  const statuses = byStatus(["malformed", "foreign", ...refusals], assumptions, {
    canFail,
    format: isProblem ? "problem" : "envelope",
  });
  const answers = statuses.map(({ status, description, example }) => {
    const headers = {
      ...(asks?.startsWith("identification") && namedIn(asks)),
      ...(status === 429 && AGAIN),
    };
    const hasHeaders = Object.keys(headers).length > 0;
    const content = isProblem
      ? { "application/problem+json": { schema: ref("Problem"), example } }
      : { "application/json": { schema: ref("Error"), example } };
    return [
      String(status),
      {
        description,
        ...(hasHeaders && { headers }),
        // What was seen instead is no part of any other refusal.
        content: status === 408 ? json("TimedOut") : content,
      },
    ] as const;
  });
  return Object.fromEntries(answers);
}

/** The headers that say what an answer was shaped by: the calls that create are those that take magic values. */
function namedIn(asks: Operation["asks"]): JsonSchema {
  return { ...NAMED, ...(asks === "identification and key" && MEANT) };
}

function headersOf({ asks }: Operation, assumptions: Assumptions): readonly JsonSchema[] {
  if (asks === undefined) return [];
  if (asks === "integration") return [INTEGRATION];
  const isBrazilAlone = assumptions["country_code"] === "br_only";
  const required: readonly (readonly [name: string, description: string, schema: JsonSchema])[] = [
    ["x-api-token", "Authentication token of the integration.", FILLED],
    ["x-provider-id", "The provider's identifier.", FILLED],
    ["x-provider", "The provider's name; it stands on BR Codes.", FILLED],
    [
      "x-country-code",
      "Country of the operation, such as BR.",
      { type: "string", pattern: isBrazilAlone ? "^[Bb][Rr]$" : "^[A-Za-z]{2}$" },
    ],
  ];
  const key = [
    "x-idempotency-key",
    "One for each operation; a retry has the same.",
    FILLED,
  ] as const;
  return [...required, ...(asks === "identification and key" ? [key] : [])].map(
    ([name, description, schema]) => ({ name, in: "header", required: true, description, schema }),
  );
}

/** What a merchant receives, whose own address stands in the request or in the configuration. */
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
    summary: "Tells a merchant what became of a payin or payout, at least once.",
    ...(isSigned && {
      parameters: Object.entries(headers).map(([name, description]) => ({
        name,
        in: "header",
        required: true,
        description,
        schema: { type: "string" },
      })),
    }),
    requestBody: { required: true, content: json("Webhook") },
    responses: {
      [success]: { description: "Received. Any other answer, a redirect too, is a failure." },
      "410": { description: "No more of this: the delivery ends." },
    },
  };
}

function examplesOf({ examples }: DescribedBody): JsonSchema {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

function json(name: AnswerName): JsonSchema {
  return { "application/json": { schema: ref(name) } };
}

function ref(name: AnswerName | BodyName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** More than blanks. */
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

const INTEGRATION: JsonSchema = {
  name: "x-api-token",
  in: "header",
  description:
    "Acts on that integration alone; on all of them without it. An empty one is refused.",
  schema: FILLED,
};

const ASKED_FAULT: JsonSchema = {
  name: "x-sandbox-fault",
  in: "header",
  description:
    "What this call suffers, such as `error=EXTERNAL_ERROR`, which is answered with that code and its status; what a fault's `effect` takes.",
  schema: { type: "string" },
};

const REPEATED: JsonSchema = {
  "idempotent-replayed": {
    description: "There where the answer is that of an earlier call with the same key.",
    schema: { type: "string", const: "true" },
  },
};

const AGAIN: JsonSchema = {
  "retry-after": {
    description: "After how many seconds the next request may come.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
};

const NAMED: JsonSchema = {
  "x-sandbox-assumption": {
    description:
      "The choices other than the default that were asked on the way to this answer, comma-separated; under `serve --explain` all that were asked.",
    schema: { type: "string", pattern: "^[^=, ]+=[^=, ]+(, [^=, ]+=[^=, ]+)*$" },
  },
};

const MEANT: JsonSchema = {
  "x-sandbox-magic": {
    description:
      "The meaning of the value in the call that shaped this answer, where the sandbox was started with magic; `pix-sandbox magic` lists the values.",
    schema: { type: "string", enum: Object.keys(MAGIC) },
  },
};

const DEGRADED: JsonSchema = {
  description: "Changes are refused until the sandbox can write its state file again.",
  content: json("DegradedHealth"),
};

const TAGS: Readonly<Record<Operation["tag"], string>> = {
  Gateway: "What the documented gateway does, and what a merchant's program calls.",
  Records: "Payins and payouts as they are, and what their buyers and receivers do.",
  Webhooks: "What was sent to merchants, and the stream of all that happens.",
  Clock: "The sandbox's time.",
  Faults:
    "Failures on demand. The header `x-sandbox-fault` asks for one for a single call that creates or simulates.",
  Sandbox: "The sandbox itself.",
};

const INTRODUCTION = `A sandbox of a PIX gateway. No real gateway has the routes under \`/_sandbox\`; they need no token.

\`x-api-token\` names an integration, and each is a world of its own. This document says what holds for the integration that asks for it: the choices made where the specification is silent (\`GET /_sandbox/assumptions\`) change rules and statuses.

Every refusal has the body \`Error\`, under \`/v2\` \`Problem\`. A path that is not here is answered 404, a method that a path does not take 405 with an \`allow\` header, each with the code \`NOT_PROCESSABLE\`. \`HEAD\` is answered wherever \`GET\` is. A body under a transfer coding other than chunked is answered 501, and a connection beyond the limit 503. A 500 is an error of the sandbox itself.

Some rules have no keyword: an amount in reais has at most 2 decimals, a \`webhook_url\` is no link-local or metadata address and has no port 0, \`null\` and blanks are \`EMPTY_VALUE\`, and a body is at most 1 MiB, nested at most 32 levels deep.`;
