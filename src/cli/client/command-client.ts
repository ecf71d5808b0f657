import { toUrl } from "../../wire/names.ts";
import {
  type Call,
  Calls,
  isControlPath,
  type Reply,
  SandboxError,
  UnexpectedReplyError,
} from "../../client/calls.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { coreLanguage, type Words } from "../terminal/language.ts";
import { maskAddresses } from "../../text/plain/safe-text.ts";
import { PROGRAM } from "../../platform/program.ts";
import { isLoopbackHost } from "../../core/records/webhook-url.ts";
import {
  protocolOf,
  readText,
  sendRequest,
  UNTRUSTED_CERTIFICATE,
} from "../../platform/http-request.ts";
import { say } from "../../text/message.ts";

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

/** The client of a command. A call that got no response throws a CliError that says why. */
export function commandClient({
  url = DEFAULT_URL,
  token,
  providerId = "sandbox",
  controlToken,
}: ClientOptions): Calls {
  const root = toRootUrl(url);
  const language = coreLanguage();
  return new Calls({
    url: root,
    send: senderTo(root),
    identify: (of = "sandbox") => identification(of, providerId),
    token: token ?? null,
    controlToken,
    ...(language !== "en" && { headers: { "x-sandbox-language": language } }),
  });
}

/** The error of a command whose call the sandbox refused, or another server answered; undefined for other errors. */
export function refusedCall(error: unknown): CliError | undefined {
  if (error instanceof UnexpectedReplyError) {
    const { ready } = (error.body ?? {}) as { readonly ready?: boolean };
    return ready === false ? notReady() : notASandbox(error);
  }
  if (!(error instanceof SandboxError)) return undefined;
  const { status, code, message, answer } = error;
  const place = error.url.search(CALLED);
  const [root, path] = [error.url.slice(0, place), error.url.slice(place)];
  if (status === 404) return new CliError(EXIT.notFound, "NOT_FOUND", message);
  if (status === 401 && isControlPath(path))
    return new CliError(EXIT.refused, code, message, NEEDS_TOKEN);
  const [, noun = "payin"] = MOVE.exec(path) ?? [];
  if (code === "NOT_PROCESSABLE" && MOVE.test(path))
    return new CliError(EXIT.refused, code, message, finalStatus(noun, urlOption(root)));
  if (status !== 408) return new CliError(EXIT.refused, code, message);
  const { seed } = answer as { readonly seed?: string };
  const hint = seed === undefined ? undefined : say`Sandbox seed: ${seed}.`;
  return new CliError(EXIT.timedOut, "TIMED_OUT", message, hint);
}

/** Where the path of a call begins in its URL. */
const CALLED = /\/(?:_sandbox|v[12])\//;
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

function senderTo(url: string) {
  // `serve --https` has a self-signed certificate.
  const options = { agent: false, rejectUnauthorized: !isLoopbackHost(new URL(url).hostname) };
  const send = async (path: string, call: Call): Promise<Reply> => {
    const fail = async (error: NodeJS.ErrnoException): Promise<never> => {
      throw call.signal?.aborted || error instanceof CliError
        ? error
        : await explain(url, path, error);
    };
    const incoming = await sendRequest(`${url}${path}`, call, options).catch(fail);
    const status = incoming.statusCode ?? 0;
    // A sandbox that is stopping accepts no new connections.
    if (status === 503 && path !== HEALTH) await send(HEALTH, { method: "GET", headers: {} });
    return {
      status,
      headers: { get: (name) => incoming.headers[name]?.toString() ?? null },
      body: incoming,
      json: async () => JSON.parse(await readText(incoming).catch(fail)) as unknown,
    };
  };
  return send;
}

export const HEALTH = "/_sandbox/health";

/** Accepts the address with or without the scheme, the version segment and a trailing slash. */
function toRootUrl(text: string): string {
  const withScheme = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (toUrl(withScheme)) return withScheme.replace(/\/+$/, "").replace(/\/v1$/, "");
  const address = JSON.stringify(text);
  throw usageError(say`Invalid address ${address}.`, say`Use an address such as ${DEFAULT_URL}.`);
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
    const probe = request(`${url}${HEALTH}`, options, (incoming) => {
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

function notASandbox({ url, status }: UnexpectedReplyError): CliError {
  const at = url.slice(0, url.search(CALLED));
  return new CliError(
    EXIT.noSandbox,
    "NO_SANDBOX",
    say`The server at ${at} is not pix-sandbox (status ${status}).`,
    say`Set the sandbox's address with --url.`,
  );
}
