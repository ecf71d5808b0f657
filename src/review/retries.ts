import type { Evidence } from "./finding.ts";
import type { SeenCreation, Watch } from "./observation.ts";
import { keyOf, prefixOf, RecentMap, type Tally } from "./tally.ts";
import { say } from "../text/message.ts";

/** How many calls that failed are remembered. */
const MAX_FAILED = 1000;
/** A repeat within it has not paused; where calls take longer, as on a busy machine, within twice as long. */
const PAUSE_MS = 100;
/** So many hasty repeats in a row are a storm: clients often try once or twice at once. */
const HASTY = 3;
const TOO_MANY_REQUESTS = 429;

interface Failed {
  readonly call: SeenCreation;
  /** How many repeats in a row were too early. */
  readonly hasty: number;
}

/** Judges whether a client pauses before it repeats a call that failed. */
export function retries(tally: Tally): Watch {
  const failed = new RecentMap<Failed>(MAX_FAILED);
  return {
    creation: (call) => {
      const isRefused = call.status === TOO_MANY_REQUESTS || call.retryAfterMs !== undefined;
      const isFailed = call.outcome !== "known" || isRefused;
      if (!isFailed && failed.size === 0) return;
      const { integration, noun, key } = call;
      const id = keyOf(integration, noun, key);
      const before = failed.get(id);
      // A call that began before the other one failed is no reaction to it.
      const isReaction = before !== undefined && call.startedAtMs >= before.call.endedAtMs;
      const hasty = isReaction && isHasty(before.call, call) ? before.hasty + 1 : 0;
      if (hasty >= HASTY)
        tally.broken(integration, "retry_storm", id, evidenceOf(before?.call ?? call, call, hasty));
      else if (isReaction && hasty === 0) tally.kept(integration, "retry_storm");
      if (isFailed) failed.set(id, { call: { ...call, body: undefined }, hasty });
      else failed.delete(id);
    },
    reset: (integration) => failed.clear(prefixOf(integration)),
  };
}

function isHasty(before: SeenCreation, call: SeenCreation): boolean {
  const tookMs = Math.min(before.endedAtMs - before.startedAtMs, 2 * PAUSE_MS);
  return pauseMs(before, call) < Math.max(PAUSE_MS, tookMs, before.retryAfterMs ?? 0);
}

function pauseMs(before: SeenCreation, call: SeenCreation): number {
  return call.startedAtMs - before.endedAtMs;
}

function evidenceOf(before: SeenCreation, call: SeenCreation, hasty: number): () => Evidence {
  const { requestId, atMs, noun } = call;
  const ms = Math.max(0, Math.round(pauseMs(before, call)));
  const { retryAfterMs } = before;
  return () => ({
    atMs,
    text:
      retryAfterMs === undefined
        ? say`${hasty} repeats in a row came at once: ${requestId} came ${ms} ms after the response before it.`
        : say`${hasty} repeats in a row came too early: ${requestId} came ${ms} ms after a response whose retry-after was ${retryAfterMs / 1000} s.`,
    requestId,
    command: `npx pix-sandbox faults add ${noun}s.create error=EXTERNAL_ERROR --times 5`,
  });
}
