import { isIP } from "node:net";
import { CONTAINER_HOSTS } from "../../core/records/webhook-url.ts";
import type { Call } from "../calls/call.ts";
import { isRepeated, readHeader } from "../calls/headers.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import { say } from "../../text/message.ts";

/** A request's target, before anything in it is resolved or decoded. */
export interface Target {
  /** Host and port of an absolute target, as proxies send it; undefined in a path. */
  readonly authority: string | undefined;
  /** Without its query. */
  readonly path: string;
}

/** Parses a request's target; undefined if it is neither a path nor an HTTP address. */
export function parseTarget(text: string): Target | undefined {
  if (text.startsWith("/") || text === "*") return { authority: undefined, path: pathOf(text) };
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(text) ?? [];
  return authority === undefined ? undefined : { authority, path: pathOf(rest) };
}

function pathOf(text: string): string {
  const query = text.indexOf("?");
  return query === -1 ? text : text.slice(0, query);
}

/**
 * Whether a path is the canonical one of its route. Another spelling could pass a proxy's check of the path, and
 * reach a route that the proxy forbids.
 */
export function isCanonical(path: string): boolean {
  return !NOT_CANONICAL.test(path);
}

/** Empty and dot segments, backslashes, a fragment, and escapes of letters, digits and `-._~`. */
const NOT_CANONICAL =
  /\/\/|\/\.\.?(?:\/|$)|[\\#]|%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i;

/** Hosts and origins that the server accepts beside those that no web page can forge. */
export interface OriginSettings {
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call, with CORS headers. */
  readonly corsOrigins: readonly string[];
}

/** For a page of an allowed origin. */
export type CorsHeaders = Readonly<Record<string, string>>;

type OriginCall = Pick<Call, "method" | "headers" | "rawHeaders"> & {
  /** Whether the protocol allows a request without a Host header. */
  readonly mayOmitHost: boolean;
};

/**
 * Refuses requests that a foreign web page could send to a server on this machine: to a host name that was
 * rebound to it (`Host`, or the authority of an absolute target, which replaces it), or from another origin
 * (`Origin`) or site (`Sec-Fetch-Site`).
 * @returns the CORS headers for a page of an allowed origin; undefined for other callers
 */
export function checkOrigin(
  call: OriginCall,
  authority: Target["authority"],
  { allowedHosts, corsOrigins }: OriginSettings,
): CorsHeaders | undefined {
  const host = readHeader(call, "host");
  if (!hasOneHost(call, host)) throw new HttpRefusal(400, "VALIDATION_ERROR", MALFORMED_HOST);
  if (host !== null) checkHost(host, allowedHosts);
  if (authority !== undefined) checkHost(authority, allowedHosts);
  const origin = readHeader(call, "origin");
  if (origin === null || origin === `http://${host}` || origin === `https://${host}`) {
    const isForeign = readHeader(call, "sec-fetch-site") === "cross-site";
    if (isForeign && !READING.has(call.method))
      throw new HttpRefusal(403, "NOT_PROCESSABLE", FOREIGN_ORIGIN);
    return undefined;
  }
  if (!corsOrigins.includes(origin)) throw new HttpRefusal(403, "NOT_PROCESSABLE", FOREIGN_ORIGIN);
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": readHeader(call, "access-control-request-headers") ?? "*",
    "access-control-expose-headers":
      "idempotent-replayed, retry-after, x-sandbox-assumption, x-sandbox-magic, x-total-count",
    vary: "origin",
  };
}

/** The hosts, with their ports, by which clients have reached this sandbox: those of accepted requests. */
export class ReachedHosts {
  readonly #hosts = new Set<string>();
  #last: string | undefined;

  /** @param host of an accepted request */
  add(host: string | null): void {
    // Nearly every request repeats the Host of the one before.
    if (host === null || host === this.#last || this.#hosts.size === MAX_REACHED) return;
    this.#last = host;
    this.#hosts.add(host.toLowerCase());
  }

  has(host: string): boolean {
    return this.#hosts.has(host);
  }
}

const MAX_REACHED = 64;

/** The methods that change nothing: browsers send them for an image or a link on any page. */
const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** @throws HttpRefusal 400 for a malformed host, 403 for one that is not allowed. */
function checkHost(host: string, allowedHosts: readonly string[]): void {
  if (host === lastAdmittedHost) return;
  const name = hostName(host);
  if (name === undefined) throw new HttpRefusal(400, "VALIDATION_ERROR", MALFORMED_HOST);
  if (!isLocalName(name) && !allowedHosts.includes(name))
    throw new HttpRefusal(403, "NOT_PROCESSABLE", foreignHost(name));
  if (isLocalName(name)) lastAdmittedHost = host;
}

/** Nearly every request repeats the Host of the one before. Only names that every sandbox accepts are cached. */
let lastAdmittedHost: string | undefined;

function hasOneHost(call: OriginCall, host: string | null): boolean {
  return host === null ? call.mayOmitHost : !isRepeated(call, "host");
}

/** The name in a Host header, in lower case, without its port; undefined if it is malformed. */
function hostName(host: string): string | undefined {
  const [, found, port = "0"] =
    /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?$/.exec(host) ?? [];
  if (found === undefined || Number(port) > 65_535) return undefined;
  const name = found.toLowerCase();
  if (!name.startsWith("[")) return name.replace(/\.$/, "") || undefined;
  const address = name.slice(1, -1);
  return isIP(address) === 6 ? address : undefined;
}

/** An IP address cannot be rebound, and the public DNS does not resolve these names. */
function isLocalName(name: string): boolean {
  return (
    !name.includes(".") ||
    isIP(name) !== 0 ||
    name.endsWith(".localhost") ||
    CONTAINER_HOSTS.has(name) ||
    name === "host.testcontainers.internal" ||
    name === "host.lima.internal"
  );
}

const MALFORMED_HOST = say`The Host header is malformed.`;

function foreignHost(name: string) {
  return say`This sandbox does not accept the host ${name}. To accept it, start the sandbox with --allow-host ${name}.`;
}

const FOREIGN_ORIGIN = say`This sandbox does not accept calls from pages of another origin. To accept them, start the sandbox with --cors ORIGIN.`;
