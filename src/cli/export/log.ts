import { injectedError, INJECTED_CODES } from "../../core/faults/effects.ts";
import type { WireRequest } from "../../core/state/wire.ts";
import type { Noun } from "./story.ts";
import { LANGUAGE_NAMES, translate } from "../../text/languages.ts";

/** A call of the gateway that a story can repeat. */
export interface LoggedCall {
  readonly kind: "create" | "simulate" | "webhook";
  readonly noun: Noun;
  readonly method: string;
  readonly path: string;
  /** Its position in the log. */
  readonly position: number;
  readonly atMs: number;
  readonly token: string;
  /** Undefined if the call has none. */
  readonly body: unknown;
  readonly status: number;
  /** The error's code. */
  readonly code: string | undefined;
  readonly isLost: boolean;
  /** Whether a fault or a magic value caused the error. */
  readonly isInjected: boolean;
  /** Whether the response was that of an earlier call with the same key. */
  readonly isReplayed: boolean;
  /** Empty without one. */
  readonly key: string;
  /** The transaction that the call created or simulated. */
  readonly transactionId: string | undefined;
  /** The status that a simulation requests. */
  readonly simulated: string | undefined;
  /** The choices other than the default that the response depended on. */
  readonly assumed: Readonly<Record<string, string>>;
  /** Whether an error is about `webhook_url`. */
  readonly isAboutWebhookUrl: boolean;
}

/** Reads the request log. */
export function readLog(requests: readonly WireRequest[]): {
  readonly calls: readonly LoggedCall[];
  readonly unread: number;
} {
  const calls = requests.map(readRequest);
  const read = calls.filter((call) => call !== undefined);
  return { calls: read, unread: calls.length - read.length };
}

const ROUTES: readonly (readonly [RegExp, Pick<LoggedCall, "kind" | "noun">])[] = [
  [/^POST \/v[12]\/payins$/, { kind: "create", noun: "payin" }],
  [/^POST \/v1\/payouts$/, { kind: "create", noun: "payout" }],
  [/^POST \/v1\/payins\/simulations$/, { kind: "simulate", noun: "payin" }],
  [/^POST \/v1\/payouts\/simulations$/, { kind: "simulate", noun: "payout" }],
  [/^(?:PUT|GET) \/v1\/webhooks$/, { kind: "webhook", noun: "payin" }],
];

/** The statuses of refusals that depend on more than the call's body: a credential, a limit, the disk. */
const UNREPEATABLE: ReadonlySet<number> = new Set([401, 403, 405, 413, 415, 429, 503]);

/** @returns undefined for a request that a story cannot repeat. */
function readRequest(request: WireRequest, position: number): LoggedCall | undefined {
  const { method, integration: token, status, lost, response_headers: sent } = request;
  const path = request.path.replace(/\?.*$/s, "");
  const route = ROUTES.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1];
  if (!route || token === null) return undefined;
  const body = request.body === null ? undefined : parse(request.body);
  const hasBody = method !== "GET";
  if (hasBody && body === undefined) return undefined;
  const answer = Object(parse(request.response ?? "")) as {
    readonly id?: unknown;
    readonly code?: unknown;
    readonly message?: unknown;
    readonly detail?: unknown;
    readonly errors?: readonly { readonly field?: unknown }[];
  };
  const code = typeof answer.code === "string" ? answer.code : undefined;
  const isRefused = status >= 400;
  const isInjected =
    isRefused &&
    code !== undefined &&
    (isMessageOf(code, answer.message ?? answer.detail) ||
      sent["x-sandbox-magic"] !== undefined ||
      request.headers["x-sandbox-fault"]?.startsWith("error=") === true);
  const fields = Array.isArray(answer.errors) ? answer.errors.map(({ field }) => field) : [];
  const isAboutHeaders = fields.some(
    (field) => typeof field === "string" && /^(?:x-|content-)/.test(field),
  );
  if (isRefused && !isInjected) {
    if (UNREPEATABLE.has(status) || (isAboutHeaders && code !== "DUPLICATED_VALUE"))
      return undefined;
    if (code === "EXTERNAL_ERROR") return undefined;
  }
  const { transaction_id: simulatedId, status: simulated } = Object(body) as {
    readonly transaction_id?: unknown;
    readonly status?: unknown;
  };
  const id = route.kind === "simulate" ? simulatedId : isRefused ? undefined : answer.id;
  if (route.kind === "create" && !isRefused && typeof id !== "string") return undefined;
  return {
    ...route,
    method,
    path,
    position,
    atMs: Date.parse(request.at),
    token,
    body: hasBody ? body : undefined,
    status,
    code,
    isLost: lost,
    isInjected,
    isReplayed: sent["idempotent-replayed"] === "true",
    key: request.headers["x-idempotency-key"] ?? "",
    transactionId: typeof id === "string" ? id : undefined,
    simulated: typeof simulated === "string" ? simulated : undefined,
    assumed: readAssumed(sent["x-sandbox-assumption"] ?? ""),
    isAboutWebhookUrl: fields.includes("webhook_url"),
  };
}

/** Whether a simulation was refused since its transaction is final already, or unknown. */
export function isFinalAnswer({ kind, status, isInjected }: LoggedCall): boolean {
  return kind === "simulate" && status === 422 && !isInjected;
}

function readAssumed(header: string): Record<string, string> {
  const pairs = header.split(", ").filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
}

/** Whether a message is that of an error that a fault injects. */
function isMessageOf(code: string, message: unknown): boolean {
  const injected = INJECTED_CODES.find((one) => one === code);
  if (injected === undefined) return false;
  const { text } = injectedError(injected);
  return LANGUAGE_NAMES.some((language) => message === translate(text, language));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
