import { toSafeLine } from "../text/plain/safe-text.ts";
import { monotonicNowMs, setTimeout } from "../platform/real-time.ts";
import type { MatcherAnswer } from "./delivered.ts";
import { assertMembers } from "./members.ts";
import type { LoggedRequest } from "./records.ts";
import type { Requests } from "./view.ts";

/** A method and a path of the gateway, such as `POST /v1/payins`. A query in it must be equal too. */
export type GatewayCall = `${"GET" | "POST" | "PUT"} /${string}`;

/**
 * Members that a request's JSON body must have, with their names on the wire. A member's value may be a matcher such
 * as `expect.any(String)`.
 */
export type BodySubset = Readonly<Record<string, unknown>>;

/** Options of `expectReceived` and `toHaveReceived`. */
export interface ReceivedOptions {
  /** How long to wait, in real milliseconds. Default 4,000. */
  readonly timeoutMs?: number | undefined;
}

/** Less than the test timeout of vitest and jest, so that the message is shown. */
const WAIT_MS = 4000;
const LOOK_EVERY_MS = 20;
const MAX_LISTED = 10;
const MAX_BODY = 300;

/** Waits for a request and returns the newest that matches. Earlier requests count too. @throws Error */
export async function expectReceived(
  list: Requests["list"],
  call: GatewayCall,
  body: BodySubset | undefined,
  options: ReceivedOptions = {},
): Promise<LoggedRequest> {
  assertCall(call);
  assertMembers("expectReceived()", options, { timeoutMs: true });
  const { timeoutMs = WAIT_MS } = options;
  const endMs = monotonicNowMs() + timeoutMs;
  for (;;) {
    const requests = await list();
    const found = requests.findLast((request) => isMatch(request, call, body));
    if (found) return found;
    if (monotonicNowMs() >= endMs) throw new Error(explain(requests, call, body, timeoutMs));
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/**
 * Checks whether the gateway has received a request. Waits for it, but not with `isNot`.
 * @param received an integration or a sandbox
 */
export async function isReceived(
  received: unknown,
  call: GatewayCall,
  body: BodySubset | undefined,
  { isNot, ...options }: ReceivedOptions & { readonly isNot: boolean },
): Promise<MatcherAnswer> {
  const { requests } = (received ?? {}) as { requests?: Partial<Requests> };
  if (typeof requests?.list !== "function")
    throw new TypeError("toHaveReceived takes an integration or a sandbox.");
  assertCall(call);
  assertMembers("toHaveReceived()", options, { timeoutMs: true });
  const list = requests.list.bind(requests);
  if (isNot) {
    const found = (await list()).findLast((request) => isMatch(request, call, body));
    const message = (): string => `Expected no ${describe(call, body)}; received ${line(found)}.`;
    return { pass: found !== undefined, message };
  }
  try {
    const found = await expectReceived(list, call, body, options);
    return { pass: true, message: () => `Received ${line(found)}.` };
  } catch (error) {
    return { pass: false, message: () => (error as Error).message };
  }
}

/** @throws TypeError for a text that no request can match. */
function assertCall(call: unknown): void {
  if (typeof call !== "string" || !/^(GET|POST|PUT) \/\S*$/.test(call))
    throw new TypeError(
      `A call is a method and a path such as "POST /v1/payins", not ${JSON.stringify(call) ?? String(call)}.`,
    );
}

function isMatch(request: LoggedRequest, call: string, body: BodySubset | undefined): boolean {
  const path = call.includes("?") ? request.path : request.path.replace(/\?.*$/, "");
  return (
    `${request.method} ${path}` === call && (body === undefined || contains(read(request), body))
  );
}

/** Undefined if the body is not JSON, or too long for the log. */
function read({ body }: LoggedRequest): unknown {
  try {
    return JSON.parse(body ?? "");
  } catch {
    return undefined;
  }
}

/** Whether a JSON value has all that is expected. Objects may have more members, arrays no more items. */
function contains(value: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return value === expected;
  if ("asymmetricMatch" in expected)
    return (expected as { asymmetricMatch(value: unknown): boolean }).asymmetricMatch(value);
  if (
    typeof value !== "object" ||
    value === null ||
    Array.isArray(value) !== Array.isArray(expected)
  )
    return false;
  if (Array.isArray(expected) && expected.length !== (value as unknown[]).length) return false;
  return Object.entries(expected).every(
    ([name, member]) =>
      Object.hasOwn(value, name) && contains((value as Record<string, unknown>)[name], member),
  );
}

function explain(
  requests: readonly LoggedRequest[],
  call: GatewayCall,
  body: BodySubset | undefined,
  timeoutMs: number,
): string {
  const newest = requests.slice(-MAX_LISTED);
  const more = requests.length - newest.length;
  return [
    `The gateway received no ${describe(call, body)} within ${timeoutMs} ms. It received:`,
    ...(more > 0 ? [`  ${more} earlier requests`] : []),
    ...(newest.length === 0 ? ["  nothing"] : newest.map((one) => `  ${line(one)}`)),
  ].join("\n");
}

function describe(call: GatewayCall, body: BodySubset | undefined): string {
  return body === undefined ? call : `${call} with ${JSON.stringify(body)}`;
}

function line(request: LoggedRequest | undefined): string {
  if (!request) return "nothing";
  const { method, path, body, status } = request;
  const text =
    body === null ? "" : ` ${body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)}…` : body}`;
  return toSafeLine(`${method} ${path}${text} (status ${status})`);
}
