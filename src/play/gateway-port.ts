import type { ServerSentEvent } from "../wire/server-sent-events.ts";

/**
 * The sandbox as a check sees it. Each call rejects with an error that has a `code` if the sandbox refuses it or does
 * not respond; the code of an unknown record is `NOT_FOUND`.
 */
export interface GatewayPort {
  /** Without a trailing slash. */
  readonly url: string;

  /** The same sandbox, called as an integration, or as all (`null`). */
  as(token: string | null): GatewayPort;

  /** Calls a control route; the path follows `/_sandbox`. */
  control<Wire>(method: string, path: string, body?: unknown): Promise<Wire>;

  /** Calls a gateway route; the path follows `/v1`. */
  gateway<Wire>(
    method: string,
    path: string,
    body: unknown,
    options: { readonly token: string; readonly idempotencyKey: string },
  ): Promise<Wire>;

  /** Reads the event stream from now on, until the connection ends. */
  events(
    lastId: undefined,
    signal: AbortSignal,
  ): AsyncIterable<Pick<ServerSentEvent, "event" | "data">>;
}

/** Whether a call failed because of the sandbox, and not because of a mistake of this program. */
export function isFailedCall(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && "code" in error;
}

/** For a call that ends or removes something: it may have ended already, or a reset may have removed it. */
export function ignoreFailedCall(error: unknown): void {
  if (!isFailedCall(error)) throw error;
}
