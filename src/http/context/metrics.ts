import collectDefaultMetrics from "prom-client/lib/defaultMetrics.js";
import Gauge from "prom-client/lib/gauge.js";
import Registry from "prom-client/lib/registry.js";
import type { Answer } from "../calls/answer.ts";
import type { Context } from "./context.ts";

/** The process's own metrics, measured once for all its sandboxes, from when this module is loaded. */
const ofProcess = new Registry();
collectDefaultMetrics({ register: ofProcess });

/** Answers `GET /_sandbox/metrics`, also of a standby. Load this module for a call only: it measures the process. */
export async function answerMetrics({
  journalPosition,
}: Pick<Context, "journalPosition">): Promise<Answer<string>> {
  const own = new Registry();
  const position = journalPosition();
  if (position !== undefined)
    new Gauge({
      name: "pix_sandbox_journal_position",
      help: "Position of the last commit in the journal.",
      registers: [own],
    }).set(position);
  const all = Registry.merge([own, ofProcess]);
  return {
    status: 200,
    headers: { "content-type": all.contentType },
    body: await all.metrics(),
  };
}
