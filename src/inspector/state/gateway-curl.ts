import { shellWord } from "../../text/plain/safe-text.ts";
import type { WireRequest } from "./wire.ts";

/** Headers that curl sends by itself, or that belong to one connection. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "sec-fetch-mode",
  "te",
  "traceparent",
  "tracestate",
  "transfer-encoding",
  "user-agent",
]);
/** Not uuidgen, which many systems do not have; the sandbox itself needs Node. */
const NEW_KEY = "$(node -p 'crypto.randomUUID()')";
/** What the request log shows in place of a secret. */
const REDACTED = "[redacted]";
/** The end of a body that the request log has only in part. */
const CUT_MARK = "…";

/**
 * A curl command that makes the same call of the gateway again. The shell fills in what the log does not have:
 * the token, from `PIX_SANDBOX_TOKEN`, and a new idempotency key.
 * @param origin such as `http://127.0.0.1:7490`
 * @returns undefined if the log has only the beginning of the body
 */
export function gatewayCurl(request: WireRequest, origin: string): string | undefined {
  const { method, path, headers, body } = request;
  if (body?.endsWith(CUT_MARK)) return undefined;
  const lines = [`curl -X ${shellWord(method)} ${shellWord(`${origin}${path}`)}`];
  for (const [name, value] of Object.entries(headers)) {
    if (name === "x-api-token") lines.push(`-H "x-api-token: $PIX_SANDBOX_TOKEN"`);
    else if (name === "x-idempotency-key") lines.push(`-H "x-idempotency-key: ${NEW_KEY}"`);
    else if (!OWN_HEADERS.has(name) && value !== REDACTED)
      // curl sends an empty header if a semicolon follows its name.
      lines.push(`-H ${shellWord(value === "" ? `${name};` : `${name}: ${value}`)}`);
  }
  // Unlike -d, it reads no file if the body begins with "@".
  if (body !== null && body !== "") lines.push(`--data-raw ${shellWord(body)}`);
  return lines.join(" \\\n  ");
}
