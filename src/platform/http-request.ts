import http, { type Agent, type IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";

// Node's own client. The global `fetch` may be another one: happy-dom's has the rules of a browser, and refuses
// addresses of another origin.

export { validateHeaderName, validateHeaderValue } from "node:http";
export { text as readText } from "node:stream/consumers";

export interface HttpCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

/** Sends a request. Resolves when the response begins; its body is to be read. */
export function sendRequest(
  address: string,
  { body, ...call }: HttpCall,
  options: RequestOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = protocolOf(address).request(address, { ...call, ...options }, resolve);
    outgoing.once("error", reject);
    // Node would send the body of a DELETE without its length.
    if (body !== undefined) outgoing.setHeader("content-length", Buffer.byteLength(body));
    outgoing.end(body);
  });
}

/** Node's names for errors of certificates: self-signed, expired, for another host and so on. */
export const UNTRUSTED_CERTIFICATE = /\b(?!ERR_SSL)\w*(?:CERT|UNABLE_TO_VERIFY)/;

/** The connections of a client to an address. They do not keep the process running. */
export function keepAliveAgent(address: string): Agent {
  return new (protocolOf(address).Agent)({ keepAlive: true });
}

/** TLS is loaded for HTTPS only: it takes as long as the modules of a command. */
export function protocolOf(address: string) {
  return address.startsWith("https:") ? process.getBuiltinModule("node:https") : http;
}
