import type { Command } from "commander";
import type { Example } from "../definition/help.ts";
import type { Io } from "../terminal/io.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { openBrowser } from "../terminal/open-browser.ts";
import { withExamples } from "../definition/options.ts";
import { servingCommand } from "../serving/options.ts";
import { inspectorUrl, renderBanner, toReady, writeReadyFile } from "../serving/ready.ts";
import { startLog, untilStopped } from "../serving/running.ts";
import { startGateway } from "../serving/start.ts";
import { say } from "../../text/message.ts";

const EXAMPLES: readonly Example[] = [
  ["serve", say`with its state in a file`],
  ["serve --memory --port 0 --json", say`for a test`],
];

export function serveCommand(io: Io): Command {
  const command = servingCommand("serve").action(() => serve(command, io));
  return withExamples(command, EXAMPLES);
}

async function serve(command: Command, io: Io): Promise<void> {
  const { sandbox, options } = await startGateway(command, io);
  const { json, open, quiet, stateFile, log = json || quiet ? "none" : "all" } = options;
  // The signal handler comes first: a reader of the ready line can stop the sandbox at once.
  const stopped = untilStopped(sandbox, quiet || json, io);
  const fail = async (error: unknown): Promise<never> => {
    await sandbox.close();
    throw error;
  };
  const settings = await sandbox.settings();
  const ready = toReady(sandbox, settings, stateFile, io);
  await using _ = await writeReadyFile(ready, options, io).catch(fail);
  if (json) io.printJson(ready);
  else if (!quiet) io.printError(renderBanner(sandbox, settings, stateFile, io));
  startLog(sandbox, log, json, io);
  if (open) await openBrowser(inspectorUrl(sandbox), io);
  const replaced = sandbox.replaced?.then(() => fail(stateTaken()));
  await Promise.race([stopped, ...(replaced ? [replaced] : [])]);
}

function stateTaken(): CliError {
  return new CliError(
    EXIT.inUse,
    "STATE_TAKEN",
    say`Another process uses this state now.`,
    say`Stop that one, or start this one again: it waits until that one ends.`,
  );
}
