/** A call of this process that needs no `Request`. */
export interface LocalCall {
  readonly method: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface LocalReply {
  readonly status: number;
  /** Null without a body. It can be read once: as a stream, or with `json`. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Rejects if the body is not JSON. */
  json(): Promise<unknown>;
}
