import { assembleSandbox } from "../server/start-up/assemble.ts";
import { openState } from "../server/start-up/open-state.ts";
import { locationBaseOf } from "../server/start-up/startup.ts";
import type { Sandbox } from "../server/activity/sandbox.ts";
import type { SandboxOptions } from "../server/options/options.ts";
import { validateOptions } from "../server/options/validate-options.ts";
import { checkTrace, recordsAt, timeAt } from "../server/trace/trace.ts";
import { loadLanguages } from "../text/languages.ts";
import type { TabStart } from "../wire/tab-messages.ts";
import { fromIso, toIso } from "../wire/timestamp.ts";

/**
 * Where the sandbox is, as its responses say. Nothing listens there, and no server has this port: the simulated shop
 * gets also the webhooks that went to the receiver of a server.
 */
const PLACE = { url: "http://127.0.0.1:9", port: 9, address: "127.0.0.1" };

/** A sandbox of a tab. */
export interface StartedInTab {
  readonly sandbox: Sandbox;
}

/**
 * Starts a sandbox in memory that only this tab can call: all of the server but its connections.
 * @throws StateFileError if the trace is none
 */
export async function startInTab({
  options,
  trace: given,
  position,
  isStill = false,
}: TabStart): Promise<StartedInTab> {
  await loadLanguages();
  const trace = given === undefined ? undefined : checkTrace(given, "");
  const nowMs = trace && timeAt(trace, position);
  const settings = validateOptions({
    ...(options as SandboxOptions),
    ...(trace && {
      assumptions: trace.assumptions,
      clock: isStill ? "frozen" : "real",
      keepRequests: spanOf(trace.requests),
    }),
    ...(nowMs !== undefined && { now: toIso(nowMs) }),
  });
  const report = (): void => undefined;
  const state = await openState(settings, report);
  if (trace && nowMs !== undefined) {
    const records = recordsAt(trace, position);
    // The trace's own clock has stood or run; this one begins at the moment that is shown.
    const { clock: _clock, ...change } = records.toChange();
    state.store.records.continueAfter(records.lastEventNumber);
    state.store.commit(change);
  }
  const earlier = trace?.requests.filter(({ at }) => (fromIso(at) ?? 0) <= (nowMs ?? 0)) ?? [];
  const attach = () => Promise.resolve({ ...PLACE, close: () => Promise.resolve() });
  const locationBase = locationBaseOf(settings.publicUrl);
  const start = { settings, locationBase, report };
  return { sandbox: await assembleSandbox(state, { attach, earlier, isStill }, start) };
}

/** How many numbers the request log has to span, so that each request keeps its id. */
function spanOf(requests: readonly { readonly id: string }[]): number {
  const numberOf = (request: { readonly id: string } | undefined): number =>
    Number(request?.id.slice("req_".length) ?? 0);
  const span = numberOf(requests.at(-1)) - numberOf(requests[0]) + 1;
  return Math.min(Math.max(span, 0) + MORE_REQUESTS, MAX_SPAN);
}

const MORE_REQUESTS = 1000;
const MAX_SPAN = 100_000;
