import { ASSUMPTION_NAMES, STANDARD_ASSUMPTIONS } from "../../core/assumptions/table.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { toIso } from "../../wire/timestamp.ts";
import { VERSION } from "../../wire/names.ts";
import { type Answer, type Call, readToken, toAnswer } from "../calls/call.ts";
import type { Settings } from "../schemas/sandbox.ts";
import type { Context } from "./context.ts";

// These stand apart from their routes so that a start loads no schemas for them.

/** Answers `GET /_sandbox/health`: whether the process runs as it should. */
export async function answerHealth(_call: unknown, context: Context): Promise<Answer> {
  const status = context.gateway.isDegraded ? "degraded" : "ok";
  return toAnswer({ status, version: VERSION }, status === "ok" ? 200 : 503);
}

/**
 * Answers `GET /_sandbox/ready`: whether calls should be sent to this process and, for those that may read the control
 * routes, how the sandbox is set.
 */
export async function answerReady(call: Call, context: Context): Promise<Answer> {
  const ready = context.lease?.isHeld !== false && !context.gateway.isDegraded;
  const standing = { ready, version: VERSION };
  if (!ready) return toAnswer(standing, 503);
  try {
    context.controlToken?.check(call);
  } catch {
    return toAnswer(standing);
  }
  const { clock } = context;
  return toAnswer({
    ...standing,
    state_file: context.about().state_file,
    now: toIso(clock.nowMs()),
    mode: clock.mode,
    ...(await describeSettings(readToken(call), context)),
  });
}

/** What a person wants to know of a sandbox that may have run before. @param integration null: of all */
export async function describeSettings(
  integration: string | null,
  { gateway, clock }: Pick<Context, "gateway" | "clock">,
): Promise<Settings> {
  const choices = gateway.assumptionsOf(integration);
  const named = ASSUMPTION_NAMES.filter((name) => choices[name] !== STANDARD_ASSUMPTIONS[name]);
  const { faults, changes, configurations } = await gateway.read(integration, (view) => ({
    faults: view.all("faults").filter(({ times }) => times !== 0).length,
    changes: view.all("changedAssumptions"),
    configurations: view.all("webhookConfigurations").length,
  }));
  const isOwn = (one: (typeof changes)[number]): boolean =>
    integration === null && one.integration !== null && Object.keys(one.changes).length > 0;
  const own = changes.filter(isOwn);
  const ownChanges = Object.fromEntries(own.map((one) => [one.integration, one.changes]));
  return {
    ahead_seconds: Math.round((clock.nowMs() - wallNowMs()) / 1000),
    faults,
    assumptions: Object.fromEntries(named.map((name) => [name, choices[name]])),
    ...(own.length > 0 && { integration_assumptions: ownChanges }),
    ...(configurations > 0 && { webhook_configurations: configurations }),
  };
}
