import { createHash } from "node:crypto";
import { type Answer, toRedirect } from "../answers/answer.ts";
import type { Call } from "../call.ts";
import { readHeader } from "../parse/headers.ts";
import { definePage } from "../route.ts";

/** What the inspector may load and do: only its own files, and calls of this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** A file of the inspector. Browsers store it, and ask each time whether it is still the same. */
const defineFile = (path: string, name: string, contentType: string) =>
  definePage({
    path,
    method: "GET",
    handle: async (call, { inspectorFile }) =>
      // The router also takes the path without its slash, to which the page's other files are not relative.
      call.url.pathname === "/_sandbox"
        ? toRedirect("/_sandbox/", 302)
        : toFile(call, await inspectorFile(name), contentType),
  });

export const pages = [
  defineFile("/_sandbox/", "index.html", "text/html; charset=utf-8"),
  defineFile("/_sandbox/inspector.js", "inspector.js", "text/javascript; charset=utf-8"),
  defineFile("/_sandbox/inspector.css", "inspector.css", "text/css; charset=utf-8"),
];

function toFile(call: Call, text: string, contentType: string): Answer {
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const headers = {
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    etag,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
  return readHeader(call, "if-none-match") === etag
    ? { status: 304, headers, body: null }
    : { status: 200, headers: { ...headers, "content-type": contentType }, body: text };
}
