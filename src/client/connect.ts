import { PROGRAM } from "../platform/program.ts";
import { toUrl } from "../wire/names.ts";
import { isControlToken } from "../wire/forms.ts";
import { identifyingHeaders } from "../server/activity/identifying-headers.ts";
import { type Call, Calls, type Reply, toToken } from "./calls.ts";
import { type ClockMoves, clockMoves } from "./clock.ts";
import {
  keepAliveAgent,
  readText,
  sendRequest,
  validateHeaderName,
  validateHeaderValue,
} from "../platform/http-request.ts";
import { assertMembers, type NamesOf } from "./members.ts";
import { Receivers } from "./receiver.ts";
import { type Integration, view, type View, viewIntegration } from "./view.ts";

/** The address of a sandbox, and the headers of each call. */
export interface ClientOptions {
  /** With or without `/v1`. Default: `http://127.0.0.1:7490/v1`. */
  readonly baseUrl?: string | undefined;
  /**
   * Headers of each call. An `x-api-token` selects that integration; without one the client reads all integrations
   * and creates records of the integration `sandbox`. An idempotency key is ignored.
   */
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  /** The control token of a protected sandbox. Default: the variable `PIX_SANDBOX_CONTROL_TOKEN`. */
  readonly controlToken?: string | undefined;
}

const CLIENT_OPTIONS: NamesOf<ClientOptions> = { baseUrl: true, headers: true, controlToken: true };

/** A sandbox in another process: like the result of `startSandbox()`, without the members that need the same process. */
export interface SandboxClient extends View {
  /** Without a trailing slash. */
  readonly url: string;
  /** The gateway's version-1 base address, for the client under test. */
  readonly baseUrl: string;
  readonly clock: ClockMoves;
  /** The headers of a gateway call, with a new idempotency key each time. */
  headers(token?: string): Record<string, string>;
  integration(token: string): Integration;
  /** Reads the secret that signs the webhooks, and the seed of all ids. */
  signing(): Promise<Signing>;
}

export interface Signing {
  readonly secret: string;
  readonly seed: string;
}

/**
 * Creates a client of a running sandbox. It sends nothing before the first call.
 * @throws TypeError for an invalid address or header. Its calls throw a SandboxError if the sandbox refuses, and a
 * TypeError if no sandbox responds or a fault loses the response.
 */
export function createClient(options: ClientOptions = {}): SandboxClient {
  const {
    baseUrl = DEFAULT_BASE_URL,
    headers: given,
    controlToken = controlTokenOfEnvironment(),
  } = options;
  // With a misspelled member, the default address would be used.
  assertMembers("createClient()", options, CLIENT_OPTIONS);
  if (controlToken !== undefined && !isControlToken(controlToken))
    throw new TypeError(
      "The controlToken (or PIX_SANDBOX_CONTROL_TOKEN) must be a non-empty string of ASCII letters, digits and punctuation, without spaces.",
    );
  const url = toRootUrl(baseUrl);
  const carried = toHeaders(given);
  const token = "x-api-token" in carried ? toToken(carried["x-api-token"]) : null;
  delete carried["x-api-token"];
  delete carried["x-idempotency-key"];
  const headers = (of = token ?? "sandbox"): Record<string, string> => ({
    ...identifyingHeaders(of, crypto.randomUUID()),
    ...carried,
  });
  const agent = keepAliveAgent(url);
  const opening = new Set<Promise<Reply>>();
  const client = new Calls({
    url,
    identify: headers,
    token,
    controlToken,
    async send(path, init) {
      const call = (): Promise<Reply> =>
        reach(url, path, { ...init, headers: { ...carried, ...init.headers } }, agent);
      if (init.headers["accept"] === "text/event-stream") {
        const opened = call();
        opening.add(opened);
        return opened.finally(() => opening.delete(opened));
      }
      // An event stream that was opened before misses nothing that this call causes.
      await Promise.allSettled(opening);
      return call();
    },
  });
  const receivers = new Receivers();
  return {
    ...view(client, receivers),
    url,
    baseUrl: `${url}/v1`,
    clock: clockMoves(client),
    headers,
    integration: (of) => viewIntegration(client, of, receivers),
    signing: () => client.call("GET /secret"),
  };
}

/** An empty variable counts as unset. */
function controlTokenOfEnvironment(): string | undefined {
  return process.env["PIX_SANDBOX_CONTROL_TOKEN"] || undefined;
}

const DEFAULT_BASE_URL = "http://127.0.0.1:7490/v1";

function toRootUrl(baseUrl: string): string {
  const url = toUrl(baseUrl);
  // A path cannot follow a query or a fragment, and no call sends the user of an address.
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw new TypeError(
      `Invalid baseUrl ${JSON.stringify(baseUrl)}. Use an address such as ${DEFAULT_BASE_URL}.`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "")}`;
}

/** @throws TypeError for an invalid header. */
function toHeaders(given: ClientOptions["headers"] = {}): Record<string, string> {
  const entries = Symbol.iterator in given ? [...given] : Object.entries(given);
  for (const [name, value] of entries) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

async function reach(
  url: string,
  path: string,
  call: Call,
  agent: ReturnType<typeof keepAliveAgent>,
): Promise<Reply> {
  const fail = (cause: NodeJS.ErrnoException): never => {
    if (call.signal?.aborted) throw cause;
    throw new TypeError(
      cause.code === "ECONNREFUSED"
        ? `No sandbox responds at ${url}; "${PROGRAM} serve" starts one.`
        : "fetch failed",
      { cause },
    );
  };
  const incoming = await sendRequest(`${url}${path}`, call, { agent }).catch(fail);
  return {
    status: incoming.statusCode ?? 0,
    body: incoming,
    json: async () => JSON.parse(await readText(incoming).catch(fail)) as unknown,
  };
}

/** The values from which another process can create a client without a request. */
export interface SandboxAddress extends Signing {
  /** Without a trailing slash. */
  readonly url: string;
  /** The control token of a protected sandbox. Default: the variable `PIX_SANDBOX_CONTROL_TOKEN`. */
  readonly controlToken?: string | undefined;
}

/** A client with the secret and the seed of its sandbox. */
export interface ConnectedSandbox extends SandboxClient, Omit<SandboxAddress, "controlToken"> {}

/** Creates a client from a known secret and seed. */
export function connect({ url, secret, seed, controlToken }: SandboxAddress): ConnectedSandbox {
  return { ...createClient({ baseUrl: url, controlToken }), secret, seed };
}

/**
 * Creates a client from an address, with or without `/v1`.
 * @throws TypeError if no sandbox responds.
 */
export async function connectTo(baseUrl: string): Promise<ConnectedSandbox> {
  const client = createClient({ baseUrl });
  return { ...client, ...(await client.signing()) };
}
