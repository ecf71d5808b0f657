import { effect } from "@preact/signals";
import { render } from "preact";
import { loadLanguages } from "../../text/languages.ts";
import { App } from "../frame/app.tsx";
import { connection, follow } from "../state/live.ts";
import { drawQrCode } from "../parts/qr-code.tsx";
import { TraceBar } from "./bar.tsx";
import { type PageTrace, play } from "./player.ts";

const data = textOf("trace");
const trace = data === undefined ? undefined : (JSON.parse(data) as PageTrace);
await play(await inflate(textOf("worker") ?? ""), trace);
drawQrCode.value = async (address) => {
  const response = await fetch(address);
  return URL.createObjectURL(await response.blob());
};
await loadLanguages();
render(<App />, document.body);
void follow();
// Beside the body: the inspector has that for itself.
const bar = document.createElement("footer");
document.documentElement.append(bar);
render(<TraceBar trace={trace} />, bar);
effect(() => {
  if (connection.value === "live") document.documentElement.dataset["ready"] = "true";
});

function textOf(id: string): string | undefined {
  return document.getElementById(id)?.textContent ?? undefined;
}

/** The text of a program that was packed with gzip, in base64. */
async function inflate(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
