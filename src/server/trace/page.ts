import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { html } from "../../platform/html.ts";
import { folderInPackage } from "../../platform/package-folder.ts";

/**
 * Writes the inspector and the sandbox for a worker as one HTML file. Its policy allows no other origin.
 * @param data the JSON of a trace; without it the page has a new sandbox
 */
export async function toPage(title: string, data?: string): Promise<string> {
  const [style, page, worker] = await Promise.all([
    readPart("trace.css"),
    readPart("trace.js"),
    readPart("worker.js"),
  ]);
  const packed = (await promisify(gzip)(worker, { level: 9 })).toString("base64");
  const script = inScript(page);
  const hash = createHash("sha256").update(script).digest("base64");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-${hash}' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:">
${html`<title>${title}</title>`.text}
<style>${style.replaceAll("</", "<\\/")}</style>
</head>
<body>
<noscript>This page needs JavaScript. Esta página precisa de JavaScript.</noscript>
${data === undefined ? "" : `<script type="application/json" id="trace">${toElementText(data)}</script>`}
<script type="text/plain" id="worker">${packed}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** JSON that ends no element and begins none, whatever its texts are. */
export function toElementText(json: string): string {
  return json.replaceAll("<", "\\u003c");
}

function readPart(name: string): Promise<string> {
  return readFile(new URL(name, folderInPackage("dist/inspector/")), "utf8");
}

/** A program's text cannot end its own element. */
function inScript(code: string): string {
  return code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}
