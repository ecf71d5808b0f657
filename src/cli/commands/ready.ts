import { setTimeout as wait } from "node:timers/promises";
import { type ResponseOf, SHOW_HEALTH } from "../../core/state/wire-routes.ts";
import { PROGRAM } from "../../platform/program.ts";
import type { CommandClient } from "../client/command-client.ts";
import { defineCommand } from "../definition/define-command.ts";
import { readDurationMs } from "../terminal/duration.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { flag, freeText } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { say } from "../../text/message.ts";

const PAUSE_MS = 50;
/** Timers above this limit fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const readyCommand = defineCommand("ready", {
  flags: {
    wait: flag(say`wait until a sandbox responds`),
    timeout: freeText("duration", say`how long to wait`, { default: "30s" }),
  },
  route: SHOW_HEALTH,
  request: () => ({}),
  around(send, { io, client, json }, { wait: isWaiting, timeout }) {
    const label = say`Waiting for a sandbox at ${client.url}, at most ${timeout}`;
    return withProgress(io, { label, isSilent: json }, () =>
      isWaiting ? untilHealthy(client, readDurationMs(timeout)) : send(),
    );
  },
  show: ({ version }, { client }) => say`pix-sandbox ${version} is ready at ${client.url}`,
  examples: ["ready", "ready --wait --timeout 10s"],
});

async function untilHealthy(
  client: CommandClient,
  timeoutMs: number,
): Promise<ResponseOf<typeof SHOW_HEALTH>> {
  const tooLate = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMEOUT_MS));
  while (!tooLate.aborted) {
    try {
      return await client.call(SHOW_HEALTH, {}, { signal: tooLate });
    } catch (error) {
      const isMissing =
        error instanceof CliError &&
        error.exitCode === EXIT.noSandbox &&
        error.code !== "WRONG_SCHEME";
      const isDegraded = error instanceof CliError && error.code === "DEGRADED";
      if (!isMissing && !isDegraded && !tooLate.aborted) throw error;
      await wait(PAUSE_MS, undefined, { signal: tooLate }).catch(() => undefined);
    }
  }
  throw new CliError(
    EXIT.timedOut,
    "TIMED_OUT",
    say`No sandbox responded at ${client.url} in time.`,
    say`Start one with: ${PROGRAM} serve`,
  );
}
