import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { folderInPackage } from "../../platform/folders.ts";
import { type Answer, toRedirect } from "../calls/answer.ts";
import { pageHeaders } from "../../platform/html.ts";
import type { Call } from "../calls/call.ts";
import { renderQrSvg } from "../calls/qr-image.ts";
import { malformedAddress, pageFilesMissing } from "../calls/refusals.ts";
import { readHeader, readToken } from "../calls/headers.ts";
import { definePage } from "../definitions/route.ts";

/** The inspector loads only its own files, and calls only this server. */
const HEADERS = pageHeaders({ style: "'self'", script: "'self'", connect: "'self'" });

/** A file of the inspector. Browsers store it, and ask each time whether it is still the same. */
const defineFile = (path: string, name: string, contentType: string) =>
  definePage({
    path,
    method: "GET",
    handle: async (call) =>
      // The router also matches the path without its slash, where the page's relative links would be wrong.
      call.url.pathname === "/_sandbox"
        ? toRedirect("/_sandbox/", 302)
        : toFile(call, await readPageFile(name), contentType),
  });

export const pages = [
  // For people, who open the address without a path.
  definePage({
    path: "/",
    method: "GET",
    isOpen: true,
    handle: async () => toRedirect("/_sandbox/", 302),
  }),
  defineFile("/_sandbox/", "index.html", "text/html; charset=utf-8"),
  defineFile("/_sandbox/inspector.js", "inspector.js", "text/javascript; charset=utf-8"),
  defineFile("/_sandbox/inspector.css", "inspector.css", "text/css; charset=utf-8"),
  definePage({
    path: "/_sandbox/qr.svg",
    method: "GET",
    handle: async (call) => {
      const text = call.url.searchParams.get("text") ?? "";
      if (text === "" || Buffer.byteLength(text) > MAX_QR_BYTES) throw malformedAddress();
      return toFile(call, renderQrSvg(text), "image/svg+xml");
    },
  }),
  // The records of the sandbox as one HTML file.
  definePage({
    path: "/_sandbox/trace",
    method: "GET",
    handle: async (call, { writeTrace }) => {
      const file = await writeTrace(readToken(call));
      // Clients of the test API read JSON only.
      const isJson = call.url.searchParams.get("as") === "json";
      return {
        status: 200,
        headers: {
          "content-type": isJson ? "application/json" : "text/html; charset=utf-8",
          // It is for a file: as a page of this origin it could call the control routes.
          "content-disposition": 'attachment; filename="pix-sandbox-trace.html"',
        },
        body: isJson ? JSON.stringify({ html: file }) : file,
      };
    },
  }),
];

/** Reads a file of the inspector, which traces use too. @throws HttpRefusal if it is missing */
export async function readPageFile(name: string): Promise<string> {
  const folder = folderInPackage("dist/inspector/");
  if (!folder) throw pageFilesMissing();
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
