import { toUrl } from "../../wire/names.ts";

/** The names by which a container reaches its machine: rootless Podman maps them to the link-local 169.254.1.2. */
export const CONTAINER_HOSTS: ReadonlySet<string> = new Set([
  "host.docker.internal",
  "host.containers.internal",
  "gateway.docker.internal",
]);
const LINK_LOCAL = /^(?:169\.254\.\d+\.\d+|fe[89ab].:.*)$/;
/** The addresses of metadata services: Amazon's and most clouds', Tencent, Scaleway, Alibaba, Azure, Oracle, Google. */
const METADATA =
  /^(?:169\.254\.(?:169|170)\.\d+|169\.254\.0\.23|169\.254\.42\.42|100\.100\.100\.200|168\.63\.129\.16|192\.0\.0\.192|fd00:ec2::254|fd20:ce::254)$/;
/** The prefixes of IPv6 that carry an IPv4 address in the last 32 bits; the last one is OpenStack's. */
const EMBEDDED = /^(?:::(?:ffff:)?|64:ff9b::|fe80::)([\da-f]+):([\da-f]+)$/;

/**
 * Whether webhooks may be sent to a URL: http or https, not a link-local or metadata address, not port 0.
 * `localhost` and other private addresses are allowed: local receivers are the main use of a sandbox.
 */
export function isWebhookUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s/]/i.test(text) || /[\s\p{Cc}\p{Cs}]/u.test(text)) return false;
  const { hostname = "", port = "0" } = toUrl(text) ?? {};
  if (port === "0" || /^metadata\.google\.internal\.?$/.test(hostname)) return false;
  return !isLinkLocal(hostname.replace(/^\[|\]$/g, ""));
}

/** Whether an IP address is link-local (169.254.0.0/16, fe80::/10) or a metadata service's, IPv4 within IPv6 included. */
export function isLinkLocal(address: string): boolean {
  return formsOf(address).some((form) => LINK_LOCAL.test(form) || METADATA.test(form));
}

/** Whether an IP address is a metadata service's, IPv4 within IPv6 included. */
export function isMetadata(address: string): boolean {
  return formsOf(address).some((form) => METADATA.test(form));
}

/** The shortest spelling of an IP address without its zone, and the IPv4 address that an IPv6 address carries. */
function formsOf(address: string): readonly string[] {
  if (!address.includes(":")) return [address];
  const url = toUrl(`http://[${address.replace(/%.*$/, "")}]/`);
  const form = url?.hostname.slice(1, -1) ?? "";
  const [high, low] =
    EMBEDDED.exec(form)
      ?.slice(1)
      .map((group) => Number.parseInt(group, 16)) ?? [];
  if (high === undefined || low === undefined) return [form];
  return [form, [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".")];
}

/** Whether the host of a URL is this machine: a loopback address, `localhost` or a name below it. */
export function isLoopbackHost(hostname: string): boolean {
  return LOCALHOST.test(hostname) || isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

/** A hosts file may lack one of the families, or names below localhost. */
export const LOCALHOST = /(^|\.)localhost\.?$/i;
const LOOPBACK = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1|::ffff:7f[\da-f]{2}:[\da-f]{1,4})$/i;

/** Whether a resolved IP address is a loopback address. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address);
}
