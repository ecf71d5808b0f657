import type { LookupFunction, Socket } from "node:net";
import type { Dispatcher, buildConnector } from "undici";
import connectorFor from "undici/lib/core/connect.js";
import symbols, { type ResponseParser } from "undici/lib/core/symbols.js";
import Client from "undici/lib/dispatcher/client.js";

/** Idle connections are closed soon: each blocks a server that handles one connection at a time. */
const IDLE_MS = 2000;
/** The system checks from time to time whether the other side of a connection still exists. */
const PROBE_AFTER_MS = 1000;

/** A POST as a connection sends it. */
export interface ConnectionRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the server shall close the connection after its response. */
  readonly isLast: boolean;
}

/** A server's response to a POST. */
export interface ServerResponse {
  readonly status: number;
  /** The first header of a name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The body. If it is longer than the limit, its start, which is longer than the limit too. */
  readonly body: Buffer;
  /** Whether the connection may carry another request after it. */
  readonly isReusable: boolean;
}

/** Receives what becomes of a POST: its outcome is one call of `onResponse` or `onFailure`. */
export interface Receiver {
  /** A new connection is needed: none was open, or the server closed it before the request was sent. */
  readonly onConnecting: () => void;
  /** The request is sent now. */
  readonly onSending: () => void;
  readonly onResponse: (response: ServerResponse) => void;
  /** @param isAnswered whether a response has begun */
  readonly onFailure: (error: NodeJS.ErrnoException, isAnswered: boolean) => void;
}

type Connect = ReturnType<typeof connectorFor>;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/** The connections of a sender, each for one POST at a time. */
export class Connections {
  readonly #connect: Connect;
  readonly #maxBody: number;
  readonly #all = new Set<Connection>();
  /** The idle connections of each origin, the last used one last. */
  readonly #idle = new Map<string, Connection[]>();

  /**
   * @param maxBody how much of a response's body is needed
   * @param isInsecure whether to accept any certificate
   */
  constructor(lookup: LookupFunction, maxBody: number, isInsecure = false) {
    this.#connect = connectorFor({
      lookup,
      timeout: 0, // The sender's timeouts apply.
      keepAliveInitialDelay: PROBE_AFTER_MS,
      rejectUnauthorized: !isInsecure,
    });
    this.#maxBody = maxBody;
  }

  /** The idle connection to an origin that was used last, or a new one. */
  take(origin: string): Connection {
    return this.#idle.get(origin)?.pop() ?? this.open(origin);
  }

  /** @param socket is used instead of a new one */
  open(origin: string, socket?: Socket): Connection {
    const connection: Connection = new Connection(origin, {
      connect: this.#connect,
      maxBody: this.#maxBody,
      socket,
      onClosed: () => {
        this.#all.delete(connection);
        const idle = this.#idle.get(origin);
        const place = idle?.indexOf(connection) ?? -1;
        if (place >= 0) idle?.splice(place, 1);
        if (idle?.length === 0) this.#idle.delete(origin);
      },
    });
    this.#all.add(connection);
    return connection;
  }

  /**
   * Keeps a connection after its response.
   * @param idleMs for this time at most
   */
  release(connection: Connection, idleMs = IDLE_MS): void {
    connection.rest(idleMs);
    const idle = this.#idle.get(connection.origin);
    if (idle) idle.push(connection);
    else this.#idle.set(connection.origin, [connection]);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }
}

interface ConnectionOptions {
  readonly connect: Connect;
  readonly maxBody: number;
  readonly socket: Socket | undefined;
  /** Is called when the connection can carry nothing more. */
  readonly onClosed: () => void;
}

/** A client that sends one POST after the other, over one connection as long as that is open. */
export class Connection {
  readonly origin: string;
  readonly #client: Client;
  readonly #options: ConnectionOptions;
  #opened: Socket | undefined;
  #socket: Socket | undefined;
  #receiver: Receiver | undefined;
  /** Of the final response, once they have been read. */
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(origin: string, options: ConnectionOptions) {
    this.origin = origin;
    this.#options = options;
    this.#opened = options.socket;
    this.#client = new Client(origin, {
      connect: (target: buildConnector.Options, callback: buildConnector.Callback) =>
        this.#connect(target, callback),
      // A server may name a shorter time in `keep-alive`.
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#client.on("connect", () => this.#hideContinue());
    this.#client.on("disconnect", () => {
      // A request that was not sent yet goes on to a new connection.
      if (!this.#receiver) this.close();
    });
  }

  /** Sends a request. The one before it must have its response. */
  send({ isLast, ...request }: ConnectionRequest, receiver: Receiver): void {
    this.#receiver = receiver;
    this.#status = 0;
    this.#chunks = [];
    this.#length = 0;
    this.#client.dispatch({ ...request, method: "POST", reset: isLast }, this.#handler);
  }

  /** Closes the connection if no request is sent for so long. */
  rest(timeoutMs: number): void {
    const socket = this.#socket;
    if (socket && socket.timeout !== timeoutMs) socket.setTimeout(timeoutMs);
  }

  close(): void {
    this.#receiver = undefined;
    this.#options.onClosed();
    // `destroy` alone would let a connection attempt finish.
    this.#socket?.destroy();
    this.#client.destroy(null, () => undefined);
  }

  #connect(target: buildConnector.Options, callback: buildConnector.Callback): void {
    this.#receiver?.onConnecting();
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened) {
      opened.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS);
      // The client must not be called back before `connect` returns.
      void Promise.resolve().then(() => callback(null, opened));
    }
    const socket = opened ?? this.#options.connect(target, callback);
    socket.on("timeout", () => {
      if (!this.#receiver) this.close();
    });
    this.#socket = socket;
  }

  /** Hides `100 Continue` from the client, which fails on one that it did not request. */
  #hideContinue(): void {
    if (!this.#socket) return;
    const parser = Reflect.get(this.#socket, symbols.kParser) as ResponseParser;
    const complete = parser.onHeadersComplete.bind(parser);
    // The client ignores all other informational responses.
    parser.onHeadersComplete = (status, ...rest) =>
      complete(status === CONTINUE ? PROCESSING : status, ...rest);
  }

  readonly #handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => this.#receiver?.onSending(),
    onResponseStart: (_controller, status, headers) => {
      const isInformational = status >= 100 && status < 200 && status !== SWITCHING_PROTOCOLS;
      if (isInformational) return;
      this.#status = status;
      this.#headers = headers;
      // The client would wait for another response.
      if (status < 200) this.#finish(false);
    },
    onResponseData: (_controller, chunk) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      if (this.#length > this.#options.maxBody) this.#finish(false);
    },
    // What is left of a request would precede the next one.
    onResponseEnd: () => this.#finish(this.#socket?.writableLength === 0),
    onResponseError: (_controller, error: NodeJS.ErrnoException) => {
      // 204 and 304 have no body, but may announce its length; the client reports that as an error.
      if (error.code === LENGTH_MISMATCH && BODILESS.has(this.#status)) return this.#finish(false);
      const receiver = this.#receiver;
      this.#receiver = undefined;
      const isAnswered = this.#status > 0;
      receiver?.onFailure(asNodeReports(error, isAnswered), isAnswered);
    },
  };

  #finish(isReusable: boolean): void {
    const receiver = this.#receiver;
    const headers = this.#headers;
    this.#receiver = undefined;
    receiver?.onResponse({
      status: this.#status,
      header: (name) => {
        const value = headers[name];
        return (Array.isArray(value) ? value[0] : value)?.trim();
      },
      body: Buffer.concat(this.#chunks),
      isReusable,
    });
    this.#chunks = [];
  }
}

const CONTINUE = 100;
const SWITCHING_PROTOCOLS = 101;
const PROCESSING = 102;
const BODILESS = new Set([204, 304]);
const LENGTH_MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** The error that Node's own client reports in the same case, without its `HPE_` code: attempts store its text. */
function asNodeReports(error: NodeJS.ErrnoException, isAnswered: boolean): Error {
  const [, reason] = PARSE_ERROR.exec(error.message) ?? [];
  const isCutShort =
    error.code === "UND_ERR_SOCKET" ||
    reason === "Invalid EOF state" ||
    (error.code === LENGTH_MISMATCH && isAnswered);
  if (error.message === "bad upgrade") return new Error("the answer 101 changes the protocol");
  if (isCutShort) {
    const message = isAnswered ? "aborted" : "socket hang up";
    return Object.assign(new Error(message), { code: "ECONNRESET" });
  }
  if (reason !== undefined) return new Error(`Parse Error: ${reason}`);
  if (error.code === "UND_ERR_HEADERS_OVERFLOW") return new Error("Parse Error: Header overflow");
  // Before the body, this is any error in a header after `content-length`.
  if (error.code === LENGTH_MISMATCH) return new Error("Parse Error: Invalid header");
  return error;
}

const PARSE_ERROR = /HTTP\/1\.1 protocol \((.*)\)$/;
