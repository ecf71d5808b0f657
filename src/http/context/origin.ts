import { isIP } from "node:net";
import { CONTAINER_HOSTS } from "../../core/records/webhook-url.ts";
import { say } from "../../text/message.ts";
import { type Call, readHeader } from "../calls/call.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import type { Context } from "./context.ts";

/** Hosts and origins that the server accepts beside those that no web page can forge. */
export interface OriginSettings {
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call, with CORS headers. */
  readonly corsOrigins: readonly string[];
}

/**
 * Refuses requests that a foreign web page could send to a server on this machine: to a host name that was
 * rebound to it (`Host`), or from another origin (`Origin`) or site (`Sec-Fetch-Site`). Adds the host of an accepted
 * request to `reachedHosts`.
 * @returns the CORS headers for a page of an allowed origin; undefined for other callers
 */
export function checkOrigin(
  call: Pick<Call, "method" | "headers" | "httpVersion">,
  { origins: { allowedHosts, corsOrigins }, reachedHosts }: Context,
): Readonly<Record<string, string>> | undefined {
  const host = readHeader(call, "host");
  // HTTP/1.0 does not need it, and no browser leaves it out.
  if (host !== null || call.httpVersion !== "1.0") checkHost(host ?? "", allowedHosts);
  const origin = readHeader(call, "origin");
  const isOwn = origin === null || origin === `http://${host}` || origin === `https://${host}`;
  const isForeign = isOwn
    ? readHeader(call, "sec-fetch-site") === "cross-site" && !READING.has(call.method)
    : !corsOrigins.includes(origin);
  if (isForeign) throw new HttpRefusal(403, FOREIGN_ORIGIN);
  if (host !== null && reachedHosts.size < MAX_REACHED) reachedHosts.add(host.toLowerCase());
  if (isOwn) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": readHeader(call, "access-control-request-headers") ?? "*",
    "access-control-expose-headers":
      "idempotent-replayed, retry-after, x-sandbox-assumption, x-sandbox-magic, x-total-count",
    vary: "origin",
  };
}

const MAX_REACHED = 64;

/** The methods that change nothing: browsers send them for an image or a link on any page. */
const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** @throws HttpRefusal 400 for a malformed host, 403 for one that is not allowed. */
function checkHost(host: string, allowedHosts: readonly string[]): void {
  const [, found = "", port = "0"] =
    /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?$/.exec(host) ?? [];
  const [, address] = /^\[(.*)\]$/.exec(found) ?? [];
  const name = address ?? found.toLowerCase().replace(/\.$/, "");
  const isWrong = name === "" || (address !== undefined && isIP(address) !== 6);
  if (isWrong || Number(port) > 65_535) throw malformedHost();
  if (!isLocalName(name) && !allowedHosts.includes(name))
    throw new HttpRefusal(403, foreignHost(name));
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

function malformedHost(): HttpRefusal {
  return new HttpRefusal(400, say`The Host header is malformed.`);
}

function foreignHost(name: string) {
  return say`This sandbox does not accept the host ${name}. To accept it, start the sandbox with --allow-host ${name}.`;
}

const FOREIGN_ORIGIN = say`This sandbox does not accept calls from pages of another origin. To accept them, start the sandbox with --cors ORIGIN.`;
