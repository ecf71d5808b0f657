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
  return isInRange || isMetadata(address) || ipv4sOf(address, groups).some(isLinkLocalIpv4);
}

/** Whether an IP address is a metadata service's, IPv4 within IPv6 included. */
export function isMetadata(address: string): boolean {
  const groups = toGroups(address);
  return (
    (groups !== undefined && METADATA_IPV6.has(toText(groups))) ||
    ipv4sOf(address, groups).some((one) => METADATA_IPV4.test(one))
  );
}

function isLinkLocalIpv4(address: string): boolean {
  return /^169\.254\.\d+\.\d+$/.test(address);
}

function ipv4sOf(address: string, groups: readonly number[] | undefined): string[] {
  return groups ? ipv4Within(groups) : [address];
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

/** The IPv4 addresses that an IPv6 address can carry: mapped, compatible, NAT64, or 6to4. */
function ipv4Within(groups: readonly number[]): string[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const last = toIpv4((g << 16) | h);
  if (EMBEDDING_PREFIXES.has(toText(groups.slice(0, 6)))) return [last];
  if (a === 0x2002) return [toIpv4((b << 16) | c)];
  if (a !== 0x64 || b !== 0xff9b || c !== 1) return [];
  // 64:ff9b:1::/48 holds prefixes of 48, 56, 64 and 96 bits; RFC 6052 skips bits 64 to 71 of all but the last.
  return [
    toIpv4((d << 16) | ((e & 0xff) << 8) | (f >> 8)),
    toIpv4(((d & 0xff) << 24) | ((e & 0xff) << 16) | f),
    toIpv4(((e & 0xff) << 24) | (f << 8) | (g >> 8)),
    last,
  ];
}

function toText(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(":");
}

function toIpv4(bits: number): string {
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
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
