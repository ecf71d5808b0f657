/** Where a cloud keeps its metadata service, beside the link-local ranges. */
const METADATA_HOSTS = new Set(["metadata.google.internal", "100.100.100.200", "[fd00:ec2::254]"]);

/**
 * Whether a webhook may be sent there: http or https, and never a link-local or metadata address.
 * `localhost` and every other private address are what a sandbox is for.
 */
export function isWebhookUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s/]/i.test(text) || /[\s\p{Cc}\p{Cs}]/u.test(text) || !URL.canParse(text))
    return false;
  const { hostname } = new URL(text);
  return (
    !METADATA_HOSTS.has(hostname.replace(/\.$/, "")) &&
    !isLinkLocal(hostname.replace(/^\[|\]$/g, ""))
  );
}

/** Whether a resolved IP address is link-local or a metadata service's (169.254.0.0/16, fe80::/10, either one mapped). */
export function isLinkLocal(address: string): boolean {
  const lower = address.toLowerCase();
  if (
    /^169\.254\.\d+\.\d+$/.test(lower) ||
    lower === "100.100.100.200" ||
    lower === "fd00:ec2::254"
  )
    return true;
  if (/^fe[89ab][0-9a-f]:/.test(lower)) return true;
  // IPv4 inside IPv6, mapped, compatible, translated or 6to4: URL writes 169.254 as a9fe, a resolver may keep the dots.
  return /^(::(ffff:)?|64:ff9b::|2002:)(a9fe:|169\.254\.|6464:64c8\b|100\.100\.100\.200$)/.test(
    lower,
  );
}

/** Whether a resolved IP address is this machine's own. */
export function isLoopback(address: string): boolean {
  return (
    /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) ||
    /^(::1|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})$/i.test(address)
  );
}
