import { readFolder } from "../support/fixtures.ts";
import { type Merchant } from "../support/merchant.ts";
import { type Exchange } from "./validating-proxy.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples: Readonly<Record<string, { readonly value: unknown }>> }>
    >;
  };
  readonly responses: Readonly<Record<string, { readonly headers?: Json }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Headers of HTTP itself, which a document need not name, and two of `text/event-stream`. */
const HEADERS_OF_HTTP = new Set([
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "cross-origin-resource-policy",
  "date",
  "transfer-encoding",
  "x-accel-buffering",
  "x-content-type-options",
]);

/** Where the sandbox refuses a request for its form, or unread, the proxy may find fault with it too. */
const REFUSED_FOR_FORM = new Set([400, 401, 403, 413, 415]);

export const requests = readFolder<Json>("requests");

export interface Request {
  /** The file of `fixtures/requests` that the body is, with the merchant's address. */
  readonly base?: string;
  readonly members?: Json;
  /** The whole body: text as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As a merchant's program sends it to the gateway, and anybody to the control routes. */
export function requestOf(
  merchant: Merchant,
  { base, members, body, headers }: Request,
  path: string,
): Exchange["request"] {
  const own = {
    webhook_url: merchant.url,
    // A receiver has one payout in progress.
    receiver_cpf: String(nextReceiver++),
  };
  const sent = base === undefined ? body : { ...requests.get(base), ...own, ...members };
  const bytes = Buffer.from(
    sent === undefined ? "" : typeof sent === "string" ? sent : JSON.stringify(sent),
  );
  const all = {
    ...(path.startsWith("/v") && {
      "x-api-token": "shop",
      "x-provider-id": "42",
      "x-provider": "Loja da Maria",
      "x-country-code": "BR",
      "x-idempotency-key": crypto.randomUUID(),
    }),
    ...(bytes.length > 0 && {
      "content-type": "application/json",
      "content-length": String(bytes.length),
    }),
    ...headers,
  };
  return { headers: all, body: bytes };
}

interface Wrong {
  readonly where: string;
  readonly side: string;
  readonly what: unknown;
}

/**
 * What is wrong with an exchange: all that the proxy says, but of a request that is refused for its form
 * or for its path, and headers that are not described, of which the proxy says nothing.
 */
export function wrongWith(exchange: Exchange, document: Document): readonly Wrong[] {
  const { method, path, status, headers, violations } = exchange;
  const where = `${method} ${path}: ${status}`;
  const operation = operationAt(document, method, path);
  if (!operation)
    return [404, 405].includes(status) ? [] : [{ where, side: "request", what: "no operation" }];
  const { headers: described = {} } = operation.responses[status] ?? {};
  return [
    ...violations
      .map(({ location: [side = ""], message }) => ({ where, side, what: message }))
      .filter(({ side }) => side === "response" || !REFUSED_FOR_FORM.has(status)),
    ...Object.keys(headers)
      .filter((name) => !HEADERS_OF_HTTP.has(name) && !Object.hasOwn(described, name))
      .map((name) => ({ where, side: "response", what: `${name} is not described` })),
  ];
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function operationsOf({ paths }: Document): readonly Described[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

/** A path without parameters goes before one that has them, as OpenAPI has it. */
export function operationAt(
  document: Document,
  method: string,
  address: string,
): Operation | undefined {
  const [path = ""] = address.split("?");
  const isMeant = ({ path: template }: Described): boolean =>
    new RegExp(`^${template.replace(/{\w+}/, "[^/]+")}$`).test(path);
  const found = operationsOf(document).filter((one) => one.method === method && isMeant(one));
  return (found.find((one) => one.path === path) ?? found[0])?.operation;
}

let nextReceiver = 10_000_000_000;
