import { setTimeout as wait } from "node:timers/promises";
import type { AnswerOf } from "../../http/routes/table.ts";
import { PROGRAM } from "../../platform/program.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { VERSION } from "../../wire/names.ts";
import type { Calls } from "../../client/calls.ts";
import { defineCommand, type Run } from "../definition/define-command.ts";
import { readDurationMs } from "../terminal/duration.ts";
import { refusedCall } from "../client/command-client.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { flag, freeText } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { localize } from "../terminal/language.ts";
import { type SettingRow, settingRows } from "../output/setting-rows.ts";
import { say } from "../../text/message.ts";
import { renderClock } from "./clock.ts";

const PAUSE_MS = 50;
/** Timers above this limit fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const readyCommand = defineCommand("ready", {
  flags: {
    wait: flag(say`wait until a sandbox responds`),
    timeout: freeText("duration", say`how long to wait`, { default: "30s" }),
  },
  route: "GET /ready",
  request: () => ({}),
  around(send, { io, client, json }, { wait: isWaiting, timeout }) {
    const label = say`Waiting for a sandbox at ${toSafeLine(client.url)}, at most ${timeout}`;
    return withProgress(io, { label, isSilent: json }, () =>
      isWaiting ? untilReady(client, readDurationMs(timeout)) : send(),
    );
  },
  show: (readiness, run) => render(readiness, run),
  examples: ["ready", "ready --wait --timeout 10s"],
});

/** The version and the address, then how the sandbox is set, as far as it says. */
function render({ version, ...found }: AnswerOf<"GET /ready">, { client, io }: Run): string {
  const { state_file: state, now } = found;
  const head = localize(say`pix-sandbox ${version} is ready at ${toSafeLine(client.url)}`);
  const own = version === VERSION ? [] : [localize(say`This command is pix-sandbox ${VERSION}.`)];
  if (now === undefined || state === undefined) return [head, ...own].join("\n");
  const { ahead_seconds = 0, faults = 0, assumptions = {}, ...more } = found;
  const settings = { ...more, ahead_seconds, faults, assumptions };
  const rows: readonly SettingRow[] = [
    [say`State`, [state === null ? localize(say`in memory`) : toSafeLine(state)]],
    [say`Clock`, [renderClock({ now, mode: found.mode ?? "", happened: [] }, io.color)]],
    ...settingRows(settings, client.url, { isComplete: true, canUndo: true }),
  ];
  const width = Math.max(...rows.map(([name]) => localize(name).length));
  const lines = rows.flatMap(([name, values]) =>
    values.map(
      (value, index) =>
        `  ${io.color.dim((index === 0 ? localize(name) : "").padEnd(width))}  ${value}`,
    ),
  );
  return [head, ...lines, ...own].join("\n");
}

async function untilReady(client: Calls, timeoutMs: number): Promise<AnswerOf<"GET /ready">> {
  const tooLate = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMEOUT_MS));
  while (!tooLate.aborted) {
    try {
      return await client.call("GET /ready", {}, { signal: tooLate });
    } catch (error) {
      const failure = error instanceof CliError ? error : refusedCall(error);
      const isMissing = failure?.exitCode === EXIT.noSandbox && failure.code !== "WRONG_SCHEME";
      if (!isMissing && failure?.code !== "NOT_READY" && !tooLate.aborted) throw error;
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
