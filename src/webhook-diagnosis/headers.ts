import { type Flaw, quote } from "./flaw.ts";
import type { CapturedWebhook, Signed } from "./signed.ts";
import { joined, listed, type Message, say } from "../text/message.ts";

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
/** Names of other products, and forms in which programs store headers: `svix-id`, `x-webhook-id`, `HTTP_WEBHOOK_ID`. */
const RENAMED = /^(?:http-)?(?:x-)?(?:svix|webhooks?)-(id|timestamp|signature)$/;

/** Finds which of the three headers are missing, and whether they arrived under another name. */
export function findMissingHeaders(headers: CapturedWebhook["headers"]): Flaw | undefined {
  const missing = HEADERS.filter((name) => !headers[name]);
  if (missing.length === 0) return undefined;
  const renamed = Object.keys(headers).filter((name) => {
    const [, part] = RENAMED.exec(name.replaceAll("_", "-")) ?? [];
    return headers[name] && missing.some((one) => one === `webhook-${part}`);
  });
  const names = listed(missing);
  const others = listed(renamed);
  const isOne = missing.length === 1;
  return {
    mistake: "missing_header",
    text: joined([
      isOne ? say`${names} is missing.` : say`${names} are missing.`,
      ...(renamed.length === 0 ? [] : [say`Found ${others} instead.`]),
    ]),
  };
}

/** A time in seconds beyond the year 5000 is one in milliseconds. */
export const FIRST_MILLISECONDS = 100_000_000_000;
/** 32 bytes. */
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=(?:,|$)/;

/** Finds a timestamp or a signature that does not have the form of Standard Webhooks. */
export function findMalformed({ timestamp, timestampSeconds, entries }: Signed): Flaw | undefined {
  const malformed = (text: Message): Flaw => ({ mistake: "malformed_header", text });
  const quoted = quote(timestamp);
  if (!/^\d+$/.test(timestamp))
    return malformed(say`webhook-timestamp is ${quoted}, not a whole number of seconds.`);
  if (timestampSeconds >= FIRST_MILLISECONDS)
    return malformed(
      say`webhook-timestamp is ${quoted}, which looks like milliseconds. It must be in seconds.`,
    );
  if (entries.some((entry) => SIGNATURE.test(entry))) return undefined;
  return malformed(describeSignature(entries[0] ?? ""));
}

function describeSignature(entry: string): Message {
  if (entry.startsWith("v1a,"))
    return say`webhook-signature is asymmetric (v1a). A whsec_ secret cannot verify it.`;
  const text = entry.replace(/^[\w-]*[,=:]/, "");
  if (/^[0-9a-f]{64}$/i.test(text))
    return say`webhook-signature is hexadecimal. It must be "v1," followed by base64.`;
  if (!entry.startsWith("v1,"))
    return say`webhook-signature is ${quote(entry)}, without the "v1," before its base64.`;
  return say`webhook-signature is ${quote(entry)}, not "v1," followed by the base64 of 32 bytes.`;
}
