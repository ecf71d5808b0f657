import { lookup as lookUp, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { NOT_SENT } from "../core/records/delivery.ts";
import {
  CONTAINER_HOSTS,
  isLinkLocal,
  isLoopback,
  isMetadata,
  LOCALHOST,
} from "../core/records/webhook-url.ts";

/** The allowed addresses: all but link-local ones, or this machine's own only. */
export type Destinations = "all" | "loopback";

const LOOPBACKS = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
] as const;

/** @throws an Error if the URL has an IP address that is not allowed. The lookup checks those of a name. */
export function checkDestination({ hostname }: URL, destinations?: Destinations): void {
  // An IPv6 address without its brackets.
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isAllowed(host, host, destinations))
    throw notAllowed(host, destinations);
}

/** Resolves a name to the allowed addresses only, so that the checked address is the one connected to. */
export function lookupFor(destinations?: Destinations): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (error: Error | null, found: readonly LookupAddress[]): void => {
      const allowed = found.filter(({ address }) => isAllowed(hostname, address, destinations));
      const [first] = allowed;
      if (error || !first) callback(error ?? notAllowed(hostname, destinations), "", 0);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    };
    if (LOCALHOST.test(hostname)) answer(null, LOOPBACKS);
    else lookUp(hostname, { ...options, all: true }, (error, found) => answer(error, found ?? []));
  };
}

/** @param host of the webhook's URL, which is `address` or resolves to it */
function isAllowed(host: string, address: string, destinations: Destinations = "all"): boolean {
  const isForbidden = CONTAINER_HOSTS.has(host.replace(/\.$/, "")) ? isMetadata : isLinkLocal;
  return !isForbidden(address) && (destinations === "all" || isLoopback(address));
}

function notAllowed(host: string, destinations?: Destinations): Error {
  return new Error(
    destinations === "loopback"
      ? `${NOT_SENT}${host} is not this machine, and --webhook-allow loopback lets webhooks go nowhere else`
      : `${NOT_SENT}${host} is a link-local or metadata address, where no webhook may go`,
  );
}
