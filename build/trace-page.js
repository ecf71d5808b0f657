// Joins what a trace holds beside its data in one HTML file: the page, its style, and the sandbox for a worker.
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const FOLDER = "dist/inspector";
/** Each is in the page as a whole. */
const PARTS = ["trace.css", "trace.js", "worker.js"];

/** Writes dist/inspector/trace.html. src/server/trace/page.ts puts a title and the data in place of its comments. */
export async function writeTracePage() {
  const [style = "", code = "", worker = ""] = await Promise.all(
    PARTS.map((name) => readFile(`${FOLDER}/${name}`, "utf8")),
  );
  // A program's text cannot end its own element.
  const script = code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const hash = createHash("sha256").update(script).digest("base64");
  const packed = gzipSync(worker, { level: 9 }).toString("base64");
  const policy = `default-src 'none'; script-src 'sha256-${hash}' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:`;
  await writeFile(
    `${FOLDER}/trace.html`,
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<!--title-->
<style>${style.replaceAll("</", "<\\/")}</style>
</head>
<body>
<noscript>This page needs JavaScript. Esta página precisa de JavaScript.</noscript>
<!--trace-->
<script type="text/plain" id="worker">${packed}</script>
<script type="module">${script}</script>
</body>
</html>
`,
  );
  for (const name of PARTS) await rm(`${FOLDER}/${name}`);
}
