import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { html } from "../../platform/html.ts";
import { folderInPackage } from "../../platform/package-folder.ts";
import { maskTrace, withoutSecrets } from "./mask.ts";
import type { TraceOptions } from "../../http/context/context.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { type Review, toWireReview } from "../../review/report.ts";
import { toIso } from "../../wire/timestamp.ts";
import { VERSION } from "../../wire/version.ts";
import { stepOf } from "./recorder.ts";
import { byLanguage, shareOf } from "./share.ts";
import { type Recorded, recordsAt, timeAt, type Trace } from "./trace.ts";

/** How much of the file the data may take; beyond it, the oldest steps and requests are left out. */
const MAX_DATA_BYTES = 800 * 1024;

/**
 * Writes a trace as one HTML file: the inspector, the sandbox for a worker, and the data. Secrets are always left out.
 * @param review of the integration that the trace is about
 * @param secrets what must not be in it, wherever it was sent
 * @param test the id of the only test that it is about
 */
export async function toTraceFile(
  recorded: Recorded & Pick<Trace, "assumptions">,
  review: Review,
  secrets: readonly string[],
  { isUnmasked, integration }: TraceOptions,
  test?: number,
): Promise<string> {
  const whole: Trace = {
    type: "pix-sandbox-trace",
    version: 1,
    program: VERSION,
    written_at: toIso(wallNowMs()),
    masked: false,
    ...recorded,
    reports: byLanguage((language) => toWireReview(review, language)),
  };
  const open = withoutSecrets(shareOf(whole, integration, test));
  const shown = isUnmasked ? open : maskTrace(open, secrets);
  const data = boundedJson(shown);
  const name = test === undefined ? undefined : shown.tests[0]?.name;
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
${html`<title>${name === undefined ? "" : `${name} · `}pix-sandbox</title>`.text}
<style>${style.replaceAll("</", "<\\/")}</style>
</head>
<body>
<noscript>A trace needs JavaScript. Um trace precisa de JavaScript.</noscript>
<script type="application/json" id="trace">${data}</script>
<script type="text/plain" id="worker">${packed}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function readPart(name: string): Promise<string> {
  return readFile(new URL(name, folderInPackage("dist/inspector/")), "utf8");
}

/** JSON that ends no element and begins none, whatever its texts are. */
function boundedJson(trace: Trace): string {
  let { requests, steps, start, tests } = trace;
  for (;;) {
    const shown = { ...trace, start, steps, requests, tests };
    const text = JSON.stringify(shown).replaceAll("<", "\\u003c");
    if (Buffer.byteLength(text) <= MAX_DATA_BYTES || steps.length + requests.length < 2)
      return text;
    // The records of steps that are left out stay: they are part of the start.
    const dropped = Math.ceil(steps.length / 4);
    const earlier = { start, steps };
    start = stepOf(recordsAt(earlier, dropped), timeAt(earlier, dropped));
    steps = steps.slice(dropped);
    requests = requests.slice(Math.ceil(requests.length / 4));
    const placeOf = (place: number): number => Math.max(0, place - dropped);
    tests = tests
      .filter(({ until }) => until > dropped)
      .map((one) => ({ ...one, from: placeOf(one.from), until: placeOf(one.until) }));
  }
}

/** A program's text cannot end its own element. */
function inScript(code: string): string {
  return code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}
