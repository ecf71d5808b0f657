import { toUrl } from "../../wire/url.ts";

/** The names by which a container reaches its machine: rootless Podman maps them to the link-local 169.254.1.2. */
export const CONTAINER_HOSTS: ReadonlySet<string> = new Set([
  "host.docker.internal",
  "host.containers.internal",
  "gateway.docker.internal",
]);
/** The names of cloud metadata services. */
const METADATA_HOSTS = new Set(["metadata.google.internal"]);
/** The addresses of metadata services: Amazon's and most clouds', Tencent, Scaleway, Alibaba, Azure, Oracle. */
const METADATA_IPV4 =
  /^(?:169\.254\.(?:169|170)\.\d+|169\.254\.0\.23|169\.254\.42\.42|100\.100\.100\.200|168\.63\.129\.16|192\.0\.0\.192)$/;
const METADATA_IPV6 = new Set(["fd00:ec2:0:0:0:0:0:254", "fd20:ce:0:0:0:0:0:254"]);
/** `::/96`, `::ffff:0:0/96` and `64:ff9b::/96` carry an IPv4 address in the last 32 bits, and so does OpenStack's `fe80::a9fe:a9fe`. */
const EMBEDDING_PREFIXES = new Set([
  "0:0:0:0:0:0",
  "0:0:0:0:0:ffff",
  "64:ff9b:0:0:0:0",
  "fe80:0:0:0:0:0",
]);

/**
 * Whether webhooks may be sent to a URL: http or https, not a link-local or metadata address, not port 0.
 * `localhost` and other private addresses are allowed: local receivers are the main use of a sandbox.
 */
export function isWebhookUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s/]/i.test(text) || /[\s\p{Cc}\p{Cs}]/u.test(text)) return false;
  const url = toUrl(text);
  if (!url) return false;
  const { hostname, port } = url;
  return (
    port !== "0" &&
    !METADATA_HOSTS.has(hostname.replace(/\.$/, "")) &&
    !isLinkLocal(hostname.replace(/^\[|\]$/g, ""))
  );
}

/** Whether an IP address is link-local (169.254.0.0/16, fe80::/10) or a metadata service's, IPv4 within IPv6 included. */
export function isLinkLocal(address: string): boolean {
  const groups = toGroups(address);
  const isInRange = ((groups?.[0] ?? 0) & 0xffc0) === 0xfe80;
  return isInRange || isMetadata(address) || /^169\.254\.\d+\.\d+$/.test(ipv4Of(address, groups));
}

/** Whether an IP address is a metadata service's, IPv4 within IPv6 included. */
export function isMetadata(address: string): boolean {
  const groups = toGroups(address);
  return (
    (groups !== undefined && METADATA_IPV6.has(toText(groups))) ||
    METADATA_IPV4.test(ipv4Of(address, groups))
  );
}

/** An IPv4 address, or the one that an IPv6 address carries. */
function ipv4Of(address: string, groups: readonly number[] | undefined): string {
  if (!groups || !EMBEDDING_PREFIXES.has(toText(groups.slice(0, 6)))) return address;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

/** The eight groups of an IPv6 address without its zone; undefined for any other text. */
function toGroups(address: string): number[] | undefined {
  const url = address.includes(":") ? toUrl(`http://[${address.replace(/%.*$/, "")}]/`) : undefined;
  if (!url) return undefined;
  const [before = "", after] = url.hostname.slice(1, -1).split("::");
  const left = before.split(":").filter(Boolean);
  const right = (after ?? "").split(":").filter(Boolean);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

function toText(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(":");
}

/** Whether the host of a URL is this machine: a loopback address, `localhost` or a name below it. */
export function isLoopbackHost(hostname: string): boolean {
  return LOCALHOST.test(hostname) || isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

/** A hosts file may lack one of the families, or names below localhost. */
export const LOCALHOST = /(^|\.)localhost\.?$/i;

/** Whether a resolved IP address is a loopback address. */
export function isLoopback(address: string): boolean {
  return (
    /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) ||
    /^(::1|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})$/i.test(address)
  );
}
