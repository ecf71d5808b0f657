import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { folderInPackage } from "../../platform/folders.ts";
import { type Answer, type Call, readHeader, toRedirect } from "../calls/call.ts";
import { pageHeaders } from "../../platform/html.ts";
import { renderQrSvg } from "../calls/qr-image.ts";
import { say } from "../../text/message.ts";
import { HttpRefusal, malformedAddress } from "../calls/refusals.ts";
import type { Endpoint } from "../definitions/route.ts";

/** The inspector loads only its own files, and calls only this server. */
const HEADERS = pageHeaders("'self'", "'self'", "'self'");

/** A file of the inspector. Browsers store it, and ask each time whether it is still the same. */
const file = (name: string, contentType: string): Endpoint => ({
  handle: async (call) =>
    // The router also matches the path without its slash, where the page's relative links would be wrong.
    call.location.pathname === "/_sandbox"
      ? toRedirect("/_sandbox/", 302)
      : toFile(call, await readPageFile(name), contentType),
});

export const inspectorPages: Readonly<Record<string, Endpoint>> = {
  // For people, who open the address without a path.
  "GET /": { isOpen: true, handle: async () => toRedirect("/_sandbox/", 302) },
  "GET /_sandbox/": file("index.html", "text/html; charset=utf-8"),
  "GET /_sandbox/inspector.js": file("inspector.js", "text/javascript; charset=utf-8"),
  "GET /_sandbox/inspector.css": file("inspector.css", "text/css; charset=utf-8"),
  "GET /_sandbox/qr.svg": {
    handle: async (call) => {
      const text = call.location.searchParams.get("text") ?? "";
      if (text === "" || Buffer.byteLength(text) > MAX_QR_BYTES) throw malformedAddress();
      return toFile(call, renderQrSvg(text), "image/svg+xml");
    },
  },
};

/** Reads a file of the inspector, which traces use too. @throws HttpRefusal if it is missing */
export async function readPageFile(name: string): Promise<string> {
  const folder = folderInPackage("dist/inspector/");
  if (!folder) throw new HttpRefusal(404, NO_FILES);
  return readFile(new URL(name, folder), "utf8");
}

/** What the largest symbol has room for. */
const MAX_QR_BYTES = 2331;

function toFile(call: Call, text: string, contentType: string): Answer {
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const headers = { ...HEADERS, "cache-control": "no-cache", "content-type": contentType, etag };
  return readHeader(call, "if-none-match") === etag
    ? { status: 304, headers, body: null }
    : { status: 200, headers, body: text };
}

/** A bundler has taken the package without the files of its page. */
const NO_FILES = say`The files of this page are missing, since pix-sandbox is in a bundle. Keep it out, for example with --external:pix-sandbox.`;
