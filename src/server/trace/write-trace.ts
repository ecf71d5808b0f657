import { writeFile } from "node:fs/promises";
import path from "node:path";
import { makeFolders } from "../../platform/make-folders.ts";
import { toBounded } from "./bounds.ts";
import { maskTrace, withoutSecrets } from "./mask.ts";
import type { TraceOptions } from "../../http/context/context.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { type Review, toWireReview } from "../../review/report.ts";
import { toIso } from "../../wire/timestamp.ts";
import { VERSION } from "../../wire/version.ts";
import { toElementText, toPage } from "./page.ts";
import { byLanguage, shareOf } from "./share.ts";
import type { Recorded, Trace } from "./trace.ts";

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
  const open = withoutSecrets(toBounded(shareOf(whole, integration, test)));
  const shown = isUnmasked ? open : maskTrace(open, secrets);
  const data = toElementText(JSON.stringify(shown));
  const name = test === undefined ? undefined : shown.tests[0]?.name;
  return toPage(name === undefined ? "pix-sandbox" : `${name} · pix-sandbox`, data);
}

/** Writes a file, with its folder. */
export async function writeToFile(file: string, text: string): Promise<void> {
  await makeFolders(path.resolve(path.dirname(file)));
  await writeFile(file, text);
}
