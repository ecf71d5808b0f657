/** The most bytes of a request's body that are read. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** A request as its face received it: the same over a socket and from this process. */
export interface Call {
  readonly method: string;
  /** The request's target before anything in it is resolved or decoded. */
  readonly target: string;
  /** Path and query, parsed. */
  readonly url: Pick<URL, "origin" | "pathname" | "search" | "searchParams">;
  /** The parameters in the route's path, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The client's IP address; empty for a call of this process. */
  readonly address: string;
  /** Names in lower case; the values of a header that was sent more than once are joined. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** Whether the protocol allows a request without a Host header. */
  readonly mayOmitHost: boolean;
  /** Whether the client sends a body. */
  readonly hasBody: boolean;
  /** The body and its text, decoded once; undefined until `readBytes` has read it. */
  body?: Buffer | undefined;
  text?: string | undefined;
  /** Whether the client can no longer receive the response. */
  isDisconnected(): boolean;
  /**
   * Receives the body; of one over `MAX_BODY_BYTES` perhaps only the beginning, which is longer than that too.
   * @throws HttpRefusal 400 for a body that is cut short.
   */
  receiveBody(): Promise<Buffer>;
  /** Calls `listener` when the response has been sent or the client has disconnected. */
  onDisconnect(listener: () => void): void;
  /** Breaks the connection, so that the client does not receive the response. */
  loseAnswer(): void;
}

/** The value in a route's path, decoded: no path has two. Empty if it has none. */
export function readPathValue({ parameters }: Call): string {
  return decodeURIComponent(Object.values(parameters)[0] ?? "");
}

/**
 * Calls `listener` when a signal aborts, at once if it has already; the returned function removes it.
 *
 * The option `signal` of addEventListener cannot remove the listener reliably: Node holds its removal callback
 * weakly, and only one for each target, so of several listeners all but the last may stay.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
