import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import {
  bodyOffences,
  headerOffences,
  parseBody,
  type Body,
  type OperationName,
} from "./checks.ts";
import { createGateway, Integration, Refusal, type Answer, type Parts } from "./gateway.ts";
import { MESSAGES, type Language } from "./messages.ts";

/** What a client presents, in the words of the specification's staging credentials. */
export interface Credential {
  /** The `x-api-token`. */
  readonly api_key: string;
  /** Signs the webhooks. */
  readonly api_secret: string;
  /** The `x-provider-id`. */
  readonly merchant_id: string;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The parsed body; undefined if it is no JSON object. */
  readonly body: Body | undefined;
  /** The status of the response. */
  readonly status: number;
}

const MAX_BODY_BYTES = 2 ** 20;
const ROUTES: Readonly<Record<string, Readonly<Record<string, OperationName>>>> = {
  "/v1/payins": { POST: "payins.create" },
  "/v2/payins": { POST: "payins.create" },
  "/v1/payouts": { POST: "payouts.create" },
  "/v1/payins/simulations": { POST: "payins.simulate" },
  "/v1/payouts/simulations": { POST: "payouts.simulate" },
  "/v1/webhooks": { PUT: "webhooks.put", GET: "webhooks.get" },
};

/** Answers calls: their way is the contract's order of checks. Appends each to `requests`. */
export function createPipeline(parts: Parts, credential: Credential, requests: SentRequest[]) {
  const { choices, deviates } = parts;
  const gateway = createGateway(parts);
  const integrations = new Map<string, Integration>();

  return async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", headers } = request;
    const { pathname: path } = new URL(request.url ?? "/", "http://gateway");
    const bytes = await read(request);
    if (bytes === undefined) return;
    const { status, body, headers: added } = await answerOf(request, path, bytes);
    requests.push({ method, path, headers, body: parseBody(bytes), status });
    response.writeHead(status, { "content-type": "application/json", ...added });
    response.end(JSON.stringify(body));
  };

  async function answerOf(request: IncomingMessage, path: string, bytes: Buffer): Promise<Answer> {
    try {
      return await decide(request, path, bytes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return refuse(error, path.startsWith("/v2/"));
    }
  }

  function decide(request: IncomingMessage, path: string, bytes: Buffer): Answer | Promise<Answer> {
    const methods = ROUTES[path];
    if (methods === undefined) throw new Refusal(404, "NOT_PROCESSABLE");
    const operation = methods[request.method ?? ""];
    if (operation === undefined) throw new Refusal(405, "NOT_PROCESSABLE");
    if (operation !== "webhooks.get") checkContent(request, bytes);

    const sent = request.headersDistinct;
    const header = (name: string) => sent[name]?.[0]?.trim() ?? "";
    const [token, key] = [header("x-api-token"), header("x-idempotency-key")];
    const isCreation = operation === "payins.create" || operation === "payouts.create";
    const foreign = choices.credentials === "listed" ? foreignHeader(header) : undefined;
    const integration = integrations.get(token) ?? new Integration();
    integrations.set(token, integration);
    const body = operation === "webhooks.get" ? {} : parseBody(bytes);
    const repeat = () =>
      isCreation ? gateway.repeat(operation, key, body, integration) : undefined;

    const refusal = checkCall(operation, sent, body, isCreation);
    if (refusal !== undefined || body === undefined) {
      const isJudged = foreign !== undefined && header(foreign) !== "";
      if (isJudged && deviates("order.credential_before_body")) throw noCredential(foreign);
      const isKnown = isCreation && foreign === undefined && integration.keys.has(key);
      const repeated = isKnown && deviates("order.key_before_body") ? repeat() : undefined;
      if (repeated !== undefined) return repeated;
      throw refusal ?? new Refusal(400, "VALIDATION_ERROR");
    }
    if (foreign !== undefined) throw noCredential(foreign);
    const repeated = repeat();
    if (repeated !== undefined) return repeated;
    gateway.admit(integration);
    switch (operation) {
      case "payins.create":
      case "payouts.create":
        return gateway.create(operation, key, body, header("x-provider"), integration);
      case "payins.simulate":
        return gateway.simulate("payin", body, integration);
      case "payouts.simulate":
        return gateway.simulate("payout", body, integration);
      case "webhooks.put":
        return gateway.configure(body, integration);
      case "webhooks.get":
        return gateway.configuration(integration);
    }
  }

  /** The header that belongs to no active credential. */
  function foreignHeader(header: (name: string) => string): string | undefined {
    if (header("x-api-token") !== credential.api_key) return "x-api-token";
    return header("x-provider-id") === credential.merchant_id ? undefined : "x-provider-id";
  }

  /** What is wrong with headers and body together. */
  function checkCall(
    operation: OperationName,
    sent: NodeJS.Dict<string[]>,
    body: Body | undefined,
    isCreation: boolean,
  ): Refusal | undefined {
    const ofHeaders = headerOffences(sent, isCreation, choices);
    const absent = ofHeaders.filter(({ code }) => code !== "INVALID_VALUE");
    if (absent.length > 0 && choices["header.missing"] === "unauthorized")
      return new Refusal(401, "NO_ACTIVE_CREDENTIAL", absent);
    const ofBody = body === undefined ? [] : bodyOffences(operation, body, choices, deviates);
    const offences = [...ofHeaders, ...ofBody];
    return offences.length > 0 ? new Refusal(400, "VALIDATION_ERROR", offences) : undefined;
  }

  function refuse(refusal: Refusal, isSecondVersion: boolean): Answer {
    const { code, headers } = refusal;
    const texts = MESSAGES[choices["error.language"] as Language];
    const status = statusOf(refusal);
    const message = texts[code] ?? code;
    const errors = entriesOf(refusal).map((entry) => {
      const text = { message: texts[entry.code] ?? entry.code, code: entry.code };
      return deviates("errors.without_field") ? text : { ...text, field: entry.field };
    });
    if (isSecondVersion) {
      const type = { "content-type": "application/problem+json" };
      const title = STATUS_CODES[status];
      const body = { type: "about:blank", title, status, detail: message, code, errors };
      return { status, body, headers: { ...headers, ...type } };
    }
    if (deviates("errors.message_only")) return { status, body: { message }, headers };
    if (deviates("errors.absent")) return { status, body: { message, code }, headers };
    return { status, body: { message, code, errors }, headers };
  }

  function statusOf({ status, code }: Refusal): number {
    if (status === 400 && deviates("errors.validation_422")) return 422;
    if (code === "NO_ACTIVE_CREDENTIAL" && deviates("errors.credential_403")) return 403;
    const isFolded = choices["error.status"] === "always_400";
    return isFolded && [401, 409, 422, 502].includes(status) ? 400 : status;
  }

  function entriesOf({ errors }: Refusal): Refusal["errors"] {
    const shown = errors.length > 1 && deviates("errors.first_only") ? errors.slice(0, 1) : errors;
    return shown.map((entry) =>
      entry.code === "EMPTY_VALUE" && deviates("errors.empty_is_required")
        ? { ...entry, code: "REQUIRED_VALUE" }
        : entry,
    );
  }
}

function noCredential(field: string): Refusal {
  const code = "NO_ACTIVE_CREDENTIAL";
  return new Refusal(401, code, [{ field, code }]);
}

/** Refuses a body that is too large, or not sent as JSON. */
function checkContent({ headers }: IncomingMessage, bytes: Buffer): void {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") throw new Refusal(415, "VALIDATION_ERROR");
  if (bytes.length > MAX_BODY_BYTES) throw new Refusal(413, "VALIDATION_ERROR");
}

/** The bytes of the body; undefined if the caller is gone. */
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}
