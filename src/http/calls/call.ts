/** A request as the routes see it: the same over a socket and from this process. */
export interface Call {
  readonly method: string;
  /** The client's IP address; empty for a call of this process. */
  readonly address: string;
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
  /** The body's text, decoded once. Bytes that are not UTF-8 are replaced. */
  readonly text: string | undefined;
  /** @throws HttpRefusal 413 for a body over `maxBytes`, 400 for one that is cut short. */
  readBody(maxBytes: number): Promise<Buffer>;
  /** Calls `listener` when the response has been sent or the client has disconnected. */
  onDisconnect(listener: () => void): void;
}

/** The id in a route's path. */
export function readId(call: Call): string {
  return readParameter(call, "id");
}

export function readParameter({ parameters }: Call, name: string): string {
  return decodeURIComponent(parameters[name] ?? "");
}
