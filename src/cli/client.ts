import { constants } from "node:buffer";
import http from "node:http";
import https from "node:https";
import { CliError, EXIT, usageError } from "./errors.ts";
import { currentLanguage, localize } from "./language.ts";
import type { StreamPlace } from "./cursor.ts";
import { readEventStream, type ServerSentEvent } from "./event-stream.ts";

/** The status of a sandbox that stops, among other reasons. */
const UNAVAILABLE = 503;
const DEFAULT_URL = "http://127.0.0.1:7490";

/** What a command says about which sandbox it speaks to, and as whom. */
export interface ClientOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  /** The `x-provider-id` of calls of the gateway. Default `sandbox`. */
  readonly providerId?: string | undefined;
}

/** One answer of the sandbox. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One answer, whatever it is, as a program gets it. */
export interface Exchange extends Answer {
  readonly headers: http.IncomingHttpHeaders;
}

/** A running sandbox, seen through its routes. */
export class Client {
  readonly url: string;
  readonly token: string | undefined;
  readonly #providerId: string;

  constructor({ url, token, providerId = "sandbox" }: ClientOptions) {
    this.url = toRootUrl(url ?? DEFAULT_URL);
    this.token = token;
    this.#providerId = providerId;
  }

  /** A control route: of one integration where the command names one, of all otherwise. */
  control<Result>(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#call<Result>(method, `/_sandbox${path}`, this.#scope(), body, signal);
  }

  /** A gateway route, called as an integration calls it. */
  gateway<Result>(
    method: string,
    path: string,
    integration: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Result> {
    return this.#call<Result>(
      method,
      path,
      { ...identification(integration, this.#providerId), ...headers },
      body,
    );
  }

  /**
   * Any route, called as a program calls it: a refusal is an answer too, and a connection that dies on the
   * way is none.
   * @throws CliError where no sandbox answers.
   */
  async exchange(
    method: string,
    path: string,
    said: { token: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Exchange | undefined> {
    const { token, body, headers, signal } = said;
    const isGateway = !path.startsWith("/_sandbox");
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = {
      ...(isGateway ? identification(token, this.#providerId) : { "x-api-token": token }),
      ...(text !== undefined && { "content-type": "application/json" }),
      ...headers,
    };
    try {
      const answer = await this.#open(method, path, sent, text, signal);
      const read = parse(await readText(answer));
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: read };
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      if (code === "ECONNRESET" || code === "EPIPE") return undefined;
      throw error;
    }
  }

  /**
   * The event stream: behind a place in it, behind what `since` names, or from now on.
   * @throws CliError where no sandbox answers; the stream just ends where the connection does.
   */
  async *events(
    from: StreamPlace | { readonly since: string | undefined },
    signal: AbortSignal,
  ): AsyncGenerator<ServerSentEvent> {
    const query = new URLSearchParams(
      "stream" in from
        ? { stream: from.stream, since: String(from.after) }
        : from.since === undefined
          ? {}
          : { since: from.since },
    );
    const headers = { ...this.#scope(), accept: "text/event-stream" };
    const path = `/_sandbox/events?${query.toString()}`;
    const answer = await this.#open("GET", path, headers, undefined, signal);
    if (answer.statusCode !== 200)
      throw refusal({ status: answer.statusCode ?? 0, body: parse(await readText(answer)) });
    try {
      yield* readEventStream(answer);
    } catch (error) {
      // However a connection ends, what it cut short comes again.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }

  /**
   * Tells a sandbox that refuses from one that stops: that one accepts no new connections.
   * @throws CliError if no sandbox answers.
   */
  async assertRunning(): Promise<void> {
    (await this.#open("GET", "/_sandbox/health", {}, undefined)).resume();
  }

  async #call<Result>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<Result> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.#open(
      method,
      path,
      {
        ...headers,
        ...(text !== undefined && { "content-type": "application/json" }),
        ...(currentLanguage() === "pt-BR" && { "x-sandbox-language": "pt" }),
      },
      text,
      signal,
    );
    const status = answer.statusCode ?? 0;
    const value = parse(
      await readText(answer).catch((error: NodeJS.ErrnoException) => {
        throw signal?.aborted || error instanceof CliError ? error : this.#unreachable(error);
      }),
    );
    if (status === UNAVAILABLE) await this.assertRunning();
    if (status >= 400 || value === undefined) throw refusal({ status, body: value });
    return value as Result;
  }

  #scope(): Record<string, string> {
    return this.token === undefined ? {} : { "x-api-token": this.token };
  }

  #open(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    signal?: AbortSignal,
  ): Promise<http.IncomingMessage> {
    const { request } = this.url.startsWith("https:") ? https : http;
    return new Promise((resolve, reject) => {
      const call = request(
        `${this.url}${path}`,
        // `serve --https` makes its own certificate, and this client only ever speaks to a sandbox.
        { method, headers, agent: false, rejectUnauthorized: false, ...(signal && { signal }) },
        resolve,
      );
      call.once("error", (error: NodeJS.ErrnoException) =>
        reject(signal?.aborted ? error : this.#unreachable(error)),
      );
      call.end(body);
    });
  }

  #unreachable(error: NodeJS.ErrnoException): CliError {
    const unreachable = new CliError(
      EXIT.noSandbox,
      "NO_SANDBOX",
      localize({
        en: `No sandbox answers at ${this.url} (${error.code ?? error.message}).`,
        pt: `Nenhum sandbox responde em ${this.url} (${error.code ?? error.message}).`,
      }),
      localize({
        en: "Start one with: pix-sandbox serve. Or set its address with --url or PIX_SANDBOX_URL.",
        pt: "Inicie um com: pix-sandbox serve. Ou informe o endereço com --url ou PIX_SANDBOX_URL.",
      }),
    );
    unreachable.cause = error;
    return unreachable;
  }
}

/** Accepts the address with or without the version segment and a trailing slash. */
function toRootUrl(text: string): string {
  const withScheme = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(withScheme))
    throw usageError(
      localize({
        en: `Invalid address ${JSON.stringify(text)}.`,
        pt: `Endereço inválido: ${JSON.stringify(text)}.`,
      }),
      localize({
        en: "Use an address such as http://127.0.0.1:7490.",
        pt: "Use um endereço como http://127.0.0.1:7490.",
      }),
    );
  return withScheme.replace(/\/+$/, "").replace(/\/v1$/, "");
}

function identification(integration: string, providerId: string): Record<string, string> {
  return {
    "x-api-token": integration,
    "x-provider-id": providerId,
    "x-provider": "pix-sandbox",
    "x-country-code": "BR",
  };
}

async function readText(answer: http.IncomingMessage): Promise<string> {
  answer.setEncoding("utf8");
  let text = "";
  for await (const chunk of answer as AsyncIterable<string>) {
    if (text.length + chunk.length > constants.MAX_STRING_LENGTH)
      throw new CliError(
        EXIT.unexpected,
        "TOO_LONG",
        localize({
          en: "The response is longer than 512 MB, the maximum.",
          pt: "A resposta tem mais de 512 MB, o máximo.",
        }),
        localize({
          en: "Request less with --limit, or read the route itself (GET /_sandbox/…), which streams.",
          pt: "Peça menos com --limit, ou leia a própria rota (GET /_sandbox/…), que responde em stream.",
        }),
      );
    text += chunk;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal({ status, body }: Answer): CliError {
  const {
    status: health,
    message,
    code,
    errors,
    seed,
  } = (body ?? {}) as {
    status?: string;
    message?: string;
    code?: string;
    errors?: { message: string }[];
    seed?: string;
  };
  if (health === "degraded") {
    return new CliError(
      EXIT.refused,
      "DEGRADED",
      localize({
        en: "The sandbox cannot write its state file and refuses changes.",
        pt: "O sandbox não consegue gravar o arquivo de estado e recusa mudanças.",
      }),
      localize({
        en: "See the sandbox's standard error for the reason. It accepts changes again when writing works.",
        pt: "Veja o motivo na saída de erro do sandbox. Ele volta a aceitar mudanças quando a gravação funcionar.",
      }),
    );
  }
  if (message === undefined || code === undefined) {
    return new CliError(
      EXIT.noSandbox,
      "NO_SANDBOX",
      localize({
        en: `The server is not pix-sandbox (status ${status}).`,
        pt: `O servidor não é um pix-sandbox (status ${status}).`,
      }),
      localize({
        en: "Set the sandbox's address with --url.",
        pt: "Informe o endereço do sandbox com --url.",
      }),
    );
  }
  const details = (errors ?? []).map((entry) => entry.message).filter((text) => text !== message);
  const text = [message, ...details].join(" ");
  if (status === 404) return new CliError(EXIT.notFound, "NOT_FOUND", text);
  if (status === 408) {
    const hint =
      seed === undefined
        ? undefined
        : localize({ en: `Sandbox seed: ${seed}.`, pt: `Seed do sandbox: ${seed}.` });
    return new CliError(EXIT.timedOut, "TIMED_OUT", text, hint);
  }
  return new CliError(EXIT.refused, code, text);
}
