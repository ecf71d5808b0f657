import { readFile } from "node:fs/promises";
import { html } from "../../platform/html.ts";
import { folderInPackage } from "../../platform/package-folder.ts";

/** What the build leaves in the page for a title and for the data. */
const TITLE = "<!--title-->";
const DATA = "<!--trace-->";

/**
 * Fills the page that build/trace-page.js has written: the inspector, and the sandbox for a worker.
 * @param data the JSON of a trace, as `toElementText` writes it
 */
export async function toPage(title: string, data: string): Promise<string> {
  const file = new URL("trace.html", folderInPackage("dist/inspector/"));
  const page = await readFile(file, "utf8");
  const [head, rest] = split(page, TITLE);
  const [body, end] = split(rest, DATA);
  const element = `<script type="application/json" id="trace">${data}</script>`;
  return [head, html`<title>${title}</title>`.text, body, element, end].join("");
}

/** JSON that ends no element and begins none, whatever its texts are. */
export function toElementText(json: string): string {
  return json.replaceAll("<", "\\u003c");
}

function split(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
