import type { Answer } from "./answers/answer.ts";
import type { Context } from "./context.ts";

/** Version 0.0.4 of the Prometheus text format. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Answers `GET /_sandbox/metrics`. It stands apart from its route so that a standby can answer it too. */
export async function answerMetrics(
  _call: unknown,
  { scrape }: Pick<Context, "scrape">,
): Promise<Answer<string>> {
  return { status: 200, headers: { "content-type": CONTENT_TYPE }, body: await scrape() };
}
