import { identifyingHeaders } from "../identification.ts";
import { Client } from "./client.ts";
import { type ClockMoves, clockMoves } from "./clock.ts";
import { type Integration, view, type View, viewIntegration } from "./view.ts";

/** What has to be known of a sandbox to use it from another process. */
export interface SandboxAddress {
  /** Without a trailing slash. */
  readonly url: string;
  readonly secret: string;
  readonly seed: string;
}

/** A sandbox that runs in another process, with what `startSandbox()` answers but for what needs the same one. */
export interface ConnectedSandbox extends View, SandboxAddress {
  /** The gateway's version-1 base address, for the client under test. */
  readonly baseUrl: string;
  readonly clock: ClockMoves;
  headers(token?: string): Record<string, string>;
  integration(token: string): Integration;
}

/** Uses a sandbox over its socket. */
export function connect({ url, secret, seed }: SandboxAddress): ConnectedSandbox {
  const headers = (token = "sandbox") => identifyingHeaders(token, crypto.randomUUID());
  const client = new Client((path, init) => fetch(`${url}${path}`, init), headers);
  return {
    ...view(client),
    url,
    secret,
    seed,
    baseUrl: `${url}/v1`,
    clock: clockMoves(client),
    headers,
    integration: (token) => viewIntegration(client, token),
  };
}

/**
 * The same with nothing but its address, with or without `/v1`.
 * @throws TypeError as `fetch` does where nobody answers there.
 */
export async function connectTo(address: string): Promise<ConnectedSandbox> {
  const url = address.replace(/\/+$/, "").replace(/\/v1$/, "");
  const client = new Client(
    (path, init) => fetch(`${url}${path}`, init),
    () => ({}),
  );
  const signing = await client.control<{ secret: string; seed: string }>("GET", "/secret");
  return connect({ url, ...signing });
}
