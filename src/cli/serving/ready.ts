import { readFile, rm, writeFile } from "node:fs/promises";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { VERSION } from "../../wire/names.ts";
import { PROGRAM } from "../../platform/program.ts";
import { replaceFile } from "../../platform/folders.ts";
import type { CommandOptions } from "../../server/options/options.ts";
import type { Sandbox } from "../../server/start.ts";
import { labelOf, placeOf } from "../../server/options/state-kinds.ts";
import { urlOption } from "../client/command-client.ts";
import { usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { countsOf } from "../output/render.ts";
import { settingRows } from "../output/setting-rows.ts";
import { aheadOfRealTime } from "../../text/duration.ts";
import type { Settings } from "../../http/routes/table.ts";
import { say } from "../../text/message.ts";

/** The address of the inspector. */
export function inspectorUrl({ url }: Pick<Sandbox, "url">): string {
  return `${url}/_sandbox/`;
}

/** The ready object: the line of `--json`, and the content of `--ready-file`. */
export function toReady(
  sandbox: Pick<Sandbox, "url" | "baseUrl" | "port"> & Record<"seed" | "secret", string | null>,
  settings: Settings | undefined,
  stateFile: string | undefined,
  { cwd }: Io,
) {
  return {
    type: "ready",
    url: sandbox.url,
    base_url: sandbox.baseUrl,
    inspector_url: inspectorUrl(sandbox),
    port: sandbox.port,
    pid: process.pid,
    version: VERSION,
    state_file: stateFile === undefined ? null : placeOf(stateFile, cwd),
    seed: sandbox.seed,
    secret: sandbox.secret,
    ...settings,
  };
}

/**
 * Writes the ready object. Disposing of the result removes the file, unless another process has written it.
 * @throws CliError if it cannot be written.
 */
export async function writeReadyFile(
  ready: object,
  { readyFile }: Pick<CommandOptions, "readyFile">,
  io: Io,
): Promise<AsyncDisposable> {
  const file = readyFile === undefined ? undefined : pathIn(io, readyFile);
  const text = `${JSON.stringify(ready)}\n`;
  if (file !== undefined) {
    // In one step, and readable only by its owner from the first byte on.
    const temporary = `${file}.${process.pid}.tmp`;
    try {
      await writeFile(temporary, text, { mode: 0o600 });
      await replaceFile(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw usageError(
        say`Cannot write --ready-file: ${(error as Error).message}.`,
        say`Use a file in an existing folder.`,
      );
    }
  }
  return {
    async [Symbol.asyncDispose]() {
      if (file === undefined) return;
      const current = await readFile(file, "utf8").catch(() => undefined);
      // The stop succeeds even if the file cannot be removed.
      if (current === text) await rm(file, { force: true }).catch(() => undefined);
    },
  };
}

export function renderBanner(
  sandbox: Sandbox,
  settings: Settings,
  stateFile: string | undefined,
  { errorColor: color }: Io,
): string {
  const { payins, payouts } = sandbox.count();
  const state =
    stateFile === undefined
      ? localize(say`in memory`)
      : `${labelOf(stateFile)}   ${localize(countsOf(payins, payouts))}`;
  const { mode } = sandbox.clock;
  const ahead = aheadOfRealTime(settings.ahead_seconds * 1000);
  const clock = ahead === undefined ? `   ${color.dim(localize(say`clock`))} ${mode}` : "";
  const moved = ahead === undefined ? [] : [`${mode}, ${localize(ahead)}`];
  // What is in memory is as the options set it.
  const undoing = { isComplete: false, canUndo: stateFile !== undefined };
  const rows = [[say`Clock`, moved] as const, ...settingRows(settings, sandbox.url, undoing)];
  const lines: readonly (readonly [name: string, value: string])[] = [
    ["API", sandbox.baseUrl],
    [localize(say`Inspector`), inspectorUrl(sandbox)],
    [localize(say`State`), toSafeLine(state)],
    ["Seed", toSafeLine(sandbox.seed) + clock],
    ...rows.flatMap(([name, values]) =>
      values.map((value, index) => [index === 0 ? localize(name) : "", value] as const),
    ),
    [localize(say.for("banner")`Next`), `${PROGRAM} trigger payin.paid${urlOption(sandbox.url)}`],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return [
    color.bold(`pix-sandbox ${VERSION}`),
    ...lines.map(([name, value]) => `  ${color.dim(name.padEnd(width))}  ${value}`),
    localize(say`Ready. Press Ctrl-C to stop.`),
  ].join("\n");
}
