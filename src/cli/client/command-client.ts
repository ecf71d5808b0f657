import { TOTAL_HEADER, toUrl } from "../../wire/names.ts";
import { constants } from "node:buffer";
import type http from "node:http";
import {
  isControlPath,
  SandboxError,
  toCall,
  toError,
  toText,
  type Transport,
  UnexpectedReplyError,
  WireClient,
  withControlToken,
} from "../../client/wire-client.ts";
import { fillRoute, type Page } from "../../wire/route-key.ts";
import type { AnswerOf, RouteKey, ValuesOf } from "../../http/routes/table.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { readEventStream, type ServerSentEvent } from "../../wire/server-sent-events.ts";
import { coreLanguage, type Words } from "../terminal/language.ts";
import { maskAddresses } from "../../text/plain/safe-text.ts";
import { PROGRAM } from "../../platform/program.ts";
import { isLoopbackHost } from "../../core/records/webhook-url.ts";
import { protocolOf, sendRequest, UNTRUSTED_CERTIFICATE } from "../../platform/http-request.ts";
import { say } from "../../text/message.ts";

/** The status of a sandbox that is stopping, among other reasons. */
const UNAVAILABLE = 503;
/** How long a probe of a server takes at most. */
const PROBE_MS = 1000;
export const DEFAULT_URL = "http://127.0.0.1:7490";

/** The option that a printed command needs to call the same sandbox; empty for the default address. */
export function urlOption(url: string): string {
  return url === DEFAULT_URL ? "" : ` --url ${maskAddresses(url)}`;
}

/** Which sandbox a command calls, and as which integration. */
export interface ClientOptions {
  readonly url?: string | undefined;
  /** Default: all integrations. */
  readonly token?: string | undefined;
  /** The `x-provider-id` of gateway calls. Default `sandbox`. */
  readonly providerId?: string | undefined;
  readonly controlToken?: string | undefined;
}

/** The keys of the lists, and what a row of each is. */
export type ListKey = {
  [Key in RouteKey]: AnswerOf<Key> extends Page<unknown> ? Key : never;
}[RouteKey];
export type RowOf<Key extends ListKey> = AnswerOf<Key> extends Page<infer Row> ? Row : never;

export interface ListPage<Row> {
  readonly document: Page<Row>;
  /** The number of rows of the whole list; undefined if the sandbox did not count them. */
  readonly total: number | undefined;
}

interface HttpReply {
  readonly status: number;
  readonly incoming: http.IncomingMessage;
  json(): Promise<unknown>;
}

/** The commands' face of the client: its errors are CliErrors in the language of the command. */
export class CommandClient extends WireClient<HttpReply> {
  readonly url: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    const { url = DEFAULT_URL, token, providerId = "sandbox", controlToken } = options;
    const root = toRootUrl(url);
    const transport = withControlToken(transportTo(root), controlToken);
    super(transport, (of = "sandbox") => identification(of, providerId), token ?? null);
    this.url = root;
    this.#options = options;
  }

  /** The same sandbox, called as an integration, or as all (`null`). */
  as(token: string | null): CommandClient {
    return new CommandClient({ ...this.#options, token: token ?? undefined });
  }

  /** The text that a control route responds with. @throws as `call` does */
  async text(path: string): Promise<string> {
    const reply = await this.transport(path, toCall("GET", this.scope()));
    if (reply.status !== 200) throw toError(reply.status, await readJson(reply));
    return readText(reply.incoming);
  }

  /**
   * Reads the event stream: after the event with an id, or from now on. Ends when the connection does.
   * @throws CliError if no sandbox responds.
   */
  async *events(lastId: string | undefined, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    const headers = {
      ...this.scope(),
      ...this.#languageHeader(),
      accept: "text/event-stream",
      ...(lastId !== undefined && { "last-event-id": lastId }),
    };
    const path = "/_sandbox/events";
    const reply = await this.transport(path, { method: "GET", headers, signal });
    const { status } = reply;
    if (status !== 200) throw this.#toCliError(path, status, await readJson(reply));
    try {
      yield* readEventStream(reply.incoming);
    } catch (error) {
      // The next connection repeats what a lost one has cut short.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }

  /**
   * Distinguishes a sandbox that refuses from one that is stopping, which accepts no new connections.
   * @throws CliError if no sandbox responds.
   */
  async assertRunning(): Promise<void> {
    (await this.transport("/_sandbox/health", { method: "GET", headers: {} })).incoming.resume();
  }

  async page<Key extends ListKey>(key: Key, values: ValuesOf<Key>): Promise<ListPage<RowOf<Key>>> {
    const { method, path } = fillRoute(key, values);
    const { value, reply } = await this.send<Page<RowOf<Key>>>(method, path, this.scope());
    const total = reply.incoming.headers[TOTAL_HEADER];
    return { document: value, total: total === undefined ? undefined : Number(total) };
  }

  protected override async send<Wire>(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<{ value: Wire; reply: HttpReply }> {
    try {
      return await super.send<Wire>(
        method,
        path,
        { ...headers, ...this.#languageHeader() },
        body,
        signal,
      );
    } catch (error) {
      if (!(error instanceof SandboxError || error instanceof UnexpectedReplyError)) throw error;
      if (error.status === UNAVAILABLE) await this.assertRunning();
      throw this.#toCliError(
        path,
        error.status,
        error instanceof SandboxError ? error.answer : error.body,
      );
    }
  }

  #languageHeader(): Record<string, string> {
    const language = coreLanguage();
    return language === "en" ? {} : { "x-sandbox-language": language };
  }

  #toCliError(path: string, status: number, body: unknown): CliError {
    const reply = (body ?? {}) as Partial<SandboxError["answer"]> & {
      ready?: boolean;
      seed?: string;
    };
    const { message, code, errors = [], seed } = reply;
    if (reply.ready === false) return notReady();
    if (message === undefined || code === undefined) return notASandbox(this.url, status);
    const text = toText({ message, code, errors });
    if (status === 404) return new CliError(EXIT.notFound, "NOT_FOUND", text);
    if (status === 401 && isControlPath(path))
      return new CliError(EXIT.refused, code, text, NEEDS_TOKEN);
    const [, noun = "payin"] = MOVE.exec(path) ?? [];
    if (code === "NOT_PROCESSABLE" && MOVE.test(path))
      return new CliError(EXIT.refused, code, text, finalStatus(noun, urlOption(this.url)));
    if (status !== 408) return new CliError(EXIT.refused, code, text);
    const hint = say`Sandbox seed: ${seed ?? ""}.`;
    return new CliError(EXIT.timedOut, "TIMED_OUT", text, seed === undefined ? undefined : hint);
  }
}

/** The routes that move a record to a final status. */
const MOVE = /^\/_sandbox\/(?:(payin|payout)s\/[^/]+\/(?:pay|complete|cancel|expire)|pay)$/;

function finalStatus(noun: string, at: string): Words {
  return say`A final status does not change. Create another ${noun}: ${PROGRAM} ${noun} create${at}`;
}

const NEEDS_TOKEN = say`Set PIX_SANDBOX_CONTROL_TOKEN to the sandbox's control token, or pass --control-token.`;

function identification(token: string, providerId: string): Record<string, string> {
  return {
    "x-api-token": token,
    "x-provider-id": providerId,
    "x-provider": "pix-sandbox",
    "x-country-code": "BR",
  };
}

function transportTo(url: string): Transport<HttpReply> {
  // `serve --https` has a self-signed certificate.
  const options = { agent: false, rejectUnauthorized: !isLoopbackHost(new URL(url).hostname) };
  return async (path, call) => {
    const fail = async (error: NodeJS.ErrnoException): Promise<never> => {
      throw call.signal?.aborted || error instanceof CliError
        ? error
        : await explain(url, path, error);
    };
    const incoming = await sendRequest(`${url}${path}`, call, options).catch(fail);
    return {
      status: incoming.statusCode ?? 0,
      incoming,
      json: async () => JSON.parse(await readText(incoming).catch(fail)) as unknown,
    };
  };
}

async function readJson(reply: HttpReply): Promise<unknown> {
  return reply.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
}

/** Accepts the address with or without the scheme, the version segment and a trailing slash. */
function toRootUrl(text: string): string {
  const withScheme = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (toUrl(withScheme)) return withScheme.replace(/\/+$/, "").replace(/\/v1$/, "");
  const address = JSON.stringify(text);
  throw usageError(say`Invalid address ${address}.`, say`Use an address such as ${DEFAULT_URL}.`);
}

async function readText(incoming: http.IncomingMessage): Promise<string> {
  incoming.setEncoding("utf8");
  let text = "";
  for await (const chunk of incoming as AsyncIterable<string>) {
    if (text.length + chunk.length > constants.MAX_STRING_LENGTH) throw tooLong();
    text += chunk;
  }
  return text;
}

function tooLong(): CliError {
  return new CliError(
    EXIT.unexpected,
    "TOO_LONG",
    say`The response is longer than 512 MB, the maximum.`,
    say`Request less with --limit, or read the route itself (GET /_sandbox/…), which streams.`,
  );
}

/** Finds out why a call got no response. */
async function explain(url: string, path: string, error: NodeJS.ErrnoException): Promise<CliError> {
  const cause = error.code ?? error.message;
  if (UNTRUSTED_CERTIFICATE.test(cause)) return untrusted(url, error);
  if (/EPROTO|WRONG_VERSION|PACKET_LENGTH/.test(cause)) return wrongScheme(url, "http:", error);
  if (!/^(?:ECONNRESET|EPIPE)$/.test(cause)) return unreachable(url, error);
  if (url.startsWith("http:") && (await isRunning(url.replace(/^http/, "https"))))
    return wrongScheme(url, "https:", error);
  return path.startsWith("/v1/") && (await isRunning(url))
    ? lostAnswer(error)
    : unreachable(url, error);
}

function isRunning(url: string): Promise<boolean> {
  const { request } = protocolOf(url);
  const options = { agent: false, rejectUnauthorized: false, timeout: PROBE_MS };
  return new Promise((resolve) => {
    const probe = request(`${url}/_sandbox/health`, options, (incoming) => {
      incoming.resume();
      resolve(true);
    });
    probe.once("timeout", () => probe.destroy()).once("error", () => resolve(false));
    probe.end();
  });
}

function wrongScheme(url: string, scheme: "http:" | "https:", cause: Error): CliError {
  const name = scheme.slice(0, -1).toUpperCase();
  const address = url.replace(/^https?:/i, scheme);
  const error = new CliError(
    EXIT.noSandbox,
    "WRONG_SCHEME",
    say`The server at ${url} speaks ${name}.`,
    say`Use --url ${address}`,
  );
  error.cause = cause;
  return error;
}

function untrusted(url: string, cause: NodeJS.ErrnoException): CliError {
  const error = new CliError(
    EXIT.noSandbox,
    "UNTRUSTED_CERTIFICATE",
    say`The certificate of ${url} is not trusted (${cause.code ?? cause.message}).`,
    say`Set NODE_EXTRA_CA_CERTS to the PEM file that the sandbox was started with (--tls-cert), or to that of its authority.`,
  );
  error.cause = cause;
  return error;
}

function lostAnswer(cause: Error): CliError {
  const error = new CliError(
    EXIT.unexpected,
    "LOST_ANSWER",
    say`A fault (lost_answer) cut the connection after the sandbox did the work.`,
    say`See the fault with: ${PROGRAM} faults list. Remove it with faults clear.\nSee the result with payin list or payout list.`,
  );
  error.cause = cause;
  return error;
}

function unreachable(url: string, error: NodeJS.ErrnoException): CliError {
  const reason = error.code ?? error.message;
  const result = new CliError(
    EXIT.noSandbox,
    "NO_SANDBOX",
    say`No sandbox responds at ${url} (${reason}).`,
    say`Set its address with --url or PIX_SANDBOX_URL, or start one: ${PROGRAM} serve`,
  );
  result.cause = error;
  return result;
}

function notReady(): CliError {
  return new CliError(
    EXIT.refused,
    "NOT_READY",
    say`The sandbox is not ready: it cannot write its state, or waits until another process no longer uses it.`,
    say`Its standard error gives the reason. To wait until it is ready: ${PROGRAM} ready --wait`,
  );
}

function notASandbox(url: string, status: number): CliError {
  return new CliError(
    EXIT.noSandbox,
    "NO_SANDBOX",
    say`The server at ${url} is not pix-sandbox (status ${status}).`,
    say`Set the sandbox's address with --url.`,
  );
}
