import { maskTrace, withoutSecrets } from "./mask.ts";
import type { TraceOptions } from "../../http/context/context.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { type Review, toWireReview } from "../../review/report.ts";
import { toIso } from "../../wire/timestamp.ts";
import { VERSION } from "../../wire/version.ts";
import { toElementText, toPage } from "./page.ts";
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
  return toPage(name === undefined ? "pix-sandbox" : `${name} · pix-sandbox`, data);
}

/** The JSON of a trace, without its oldest steps and requests if it would be too large. */
function boundedJson(trace: Trace): string {
  let { requests, steps, start, tests } = trace;
  for (;;) {
    const shown = { ...trace, start, steps, requests, tests };
    const text = toElementText(JSON.stringify(shown));
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
