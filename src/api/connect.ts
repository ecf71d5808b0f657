import { identifyingHeaders } from "../sandbox/identifying-headers.ts";
import { Client, toToken } from "./client.ts";
import type { Call } from "./wire-client.ts";
import { type ClockMoves, clockMoves } from "./clock.ts";
import { type Integration, view, type View, viewIntegration } from "./view.ts";

/** Where a sandbox is, and who calls it. */
export interface ClientOptions {
  /** With or without `/v1`. Default: what a sandbox is started with, `http://127.0.0.1:7490/v1`. */
  readonly baseUrl?: string | undefined;
  /**
   * What each call carries. An `x-api-token` makes it that integration's; without one it is everyone's, and what
   * it creates is the integration's with the token `sandbox`. A key of idempotency is not taken from here.
   */
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
}

/** A sandbox that runs elsewhere, with what `startSandbox()` answers but for what needs the same process. */
export interface SandboxClient extends View {
  /** Without a trailing slash. */
  readonly url: string;
  /** The gateway's version-1 base address, for the client under test. */
  readonly baseUrl: string;
  readonly clock: ClockMoves;
  /** The headers of a gateway call, with an idempotency key that is new at each call. */
  headers(token?: string): Record<string, string>;
  integration(token: string): Integration;
  /** What signs the webhooks, and what every id is drawn from. */
  signing(): Promise<Signing>;
}

export interface Signing {
  readonly secret: string;
  readonly seed: string;
}

/**
 * A client of a sandbox that runs already, in whatever process. Nothing is sent before the first call.
 * @throws TypeError for an address or headers that are none. Of its calls: SandboxError where the sandbox refuses,
 * TypeError where nobody answers, or where a fault loses the answer.
 */
export function createClient(options: ClientOptions = {}): SandboxClient {
  const { baseUrl = DEFAULT_BASE_URL, headers: said, ...others } = options;
  const [other] = Object.keys(others);
  // An address in another member would be another sandbox's.
  if (other !== undefined)
    throw new TypeError(`createClient() takes baseUrl and headers, not ${JSON.stringify(other)}.`);
  const url = toUrl(baseUrl);
  const carried = Object.fromEntries(new Headers(said));
  const token = "x-api-token" in carried ? toToken(carried["x-api-token"]) : null;
  delete carried["x-api-token"];
  delete carried["x-idempotency-key"];
  const headers = (of = token ?? "sandbox"): Record<string, string> => ({
    ...identifyingHeaders(of, crypto.randomUUID()),
    ...carried,
  });
  const client = new Client(
    (path, init) => reach(url, path, { ...init, headers: { ...carried, ...init.headers } }),
    headers,
    token,
  );
  return {
    ...view(client),
    url,
    baseUrl: `${url}/v1`,
    clock: clockMoves(client),
    headers,
    integration: (of) => viewIntegration(client, of),
    signing: () => client.control<Signing>("GET", "/secret"),
  };
}

const DEFAULT_BASE_URL = "http://127.0.0.1:7490/v1";

function toUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // With anything behind it a path cannot be put there, and fetch takes no user in an address.
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw new TypeError(
      `baseUrl does not take ${JSON.stringify(baseUrl)}; write it like ${DEFAULT_BASE_URL}.`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "")}`;
}

async function reach(url: string, path: string, init: Call): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, init);
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code !== "ECONNREFUSED") throw error;
    throw new TypeError(`No sandbox answers at ${url}; "npx pix-sandbox serve" starts one.`, {
      cause: error,
    });
  }
}

/** What has to be known of a sandbox to use it from another process without asking it. */
export interface SandboxAddress extends Signing {
  /** Without a trailing slash. */
  readonly url: string;
}

/** A client that knows what its sandbox signs with. */
export interface ConnectedSandbox extends SandboxClient, SandboxAddress {}

/** Uses a sandbox of which all is known. */
export function connect({ url, secret, seed }: SandboxAddress): ConnectedSandbox {
  return { ...createClient({ baseUrl: url }), secret, seed };
}

/**
 * The same with nothing but its address, with or without `/v1`.
 * @throws TypeError where nobody answers there.
 */
export async function connectTo(baseUrl: string): Promise<ConnectedSandbox> {
  const client = createClient({ baseUrl });
  return { ...client, ...(await client.signing()) };
}
