import type { Command } from "commander";
import type { CommandOptions, SandboxOptions, Unread } from "../../server/options/options.ts";
import type { Example } from "../definition/help.ts";
import type { Io } from "../terminal/io.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { openBrowser } from "../terminal/open-browser.ts";
import { withExamples } from "../definition/options.ts";
import { servingCommand } from "../serving/command.ts";
import type { applyLanguage, configFileOf } from "../serving/config-file.ts";
import { logOf, startLog } from "../serving/log.ts";
import { prepareStart } from "../serving/prepare.ts";
import type { stateOf } from "../serving/read-options.ts";
import { inspectorUrl, renderBanner, toReady, writeReadyFile } from "../serving/ready.ts";
import { type Started, startPrepared } from "../serving/start.ts";
import { untilStopped } from "../serving/until-stopped.ts";
import { say } from "../../text/message.ts";

const EXAMPLES: readonly Example[] = [
  ["serve", say`with its state in a file`],
  ["serve --memory --port 0 --json", say`for a test`],
];

export function serveCommand(io: Io): Command {
  const command = servingCommand("serve").action(async () => {
    const prepared = await prepareStart(command, io);
    await serve(await startPrepared(prepared, io), io);
  });
  return withExamples(command, EXAMPLES);
}

type ServeOptions = Pick<CommandOptions, "json" | "open" | "quiet">;

async function serve({ sandbox, options, stateFile }: Started, io: Io): Promise<void> {
  const { json, open, quiet }: ServeOptions = options;
  // The signal handler comes first: a reader of the ready line can stop the sandbox at once.
  const stopped = untilStopped(sandbox, quiet || json, io);
  const settings = await sandbox.settings();
  const ready = toReady(sandbox, settings, stateFile, io);
  await using _ = await writeReadyFile(ready, options, sandbox, io);
  if (json) io.printJson(ready);
  else if (!quiet) io.printError(renderBanner(sandbox, settings, stateFile, io));
  startLog(sandbox, logOf(options), io);
  if (open) await openBrowser(inspectorUrl(sandbox), io);
  const replaced = sandbox.replaced?.then(async () => {
    await sandbox.close();
    throw new CliError(
      EXIT.inUse,
      "STATE_TAKEN",
      say`Another process uses this state now.`,
      say`Stop that one, or start this one again: it waits until that one ends.`,
    );
  });
  await Promise.race([stopped, ...(replaced ? [replaced] : [])]);
}

/** What reads the options of commands that no sandbox takes. */
type Read = ServeOptions &
  Parameters<typeof applyLanguage>[0] &
  Parameters<typeof configFileOf>[0] &
  Parameters<typeof logOf>[0] &
  Parameters<typeof stateOf>[1] &
  Parameters<typeof writeReadyFile>[1];

/** An option that nothing reads does not compile. */
export type UnreadOptions = Unread<
  Exclude<keyof CommandOptions, keyof SandboxOptions | keyof Read>
>;
