/** A request as the routes see it: the same over a socket and from this process. */
export interface Call {
  readonly method: string;
  /** Path and query, parsed. */
  readonly url: Pick<URL, "origin" | "pathname" | "search" | "searchParams">;
  /** Names in lower case; the values of a header that was sent more than once are joined. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** The parameters in the route's path, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether the client sends a body. */
  readonly hasBody: boolean;
  /** The body; undefined until {@link Call.readBody} has read it. */
  readonly body: Buffer | undefined;
  /** @throws HttpRefusal 413 for a body over 1 MiB, 400 for one that is cut short. */
  readBody(maxBytes: number): Promise<Buffer>;
  /** Calls `listener` when the answer has been sent or the client has disconnected. */
  onDisconnect(listener: () => void): void;
}

/** The value of a request's header; null if it was not sent. */
export function readHeader({ headers }: Pick<Call, "headers">, name: string): string | null {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

/**
 * Whether a header was sent more than once, so that its values are joined with commas. A `Request` of this
 * process joins them itself: they cannot be told from one value with commas.
 */
export function isRepeated({ rawHeaders }: Pick<Call, "rawHeaders">, name: string): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      count++;
  return count > 1;
}

/**
 * The language of messages that the call requests, whatever the assumption `error.language` is. The command
 * line sends it.
 */
export function requestedLanguage(call: Pick<Call, "headers">): "pt" | undefined {
  return readHeader(call, "x-sandbox-language") === "pt" ? "pt" : undefined;
}

/** The id in a route's path. */
export function readId(call: Call): string {
  return readParameter(call, "id");
}

export function readParameter({ parameters }: Call, name: string): string {
  return decodeURIComponent(parameters[name] ?? "");
}
