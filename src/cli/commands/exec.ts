import type { Command } from "commander";
import type { Environment } from "../../core/environment.ts";
import { runToEnd } from "../child.ts";
import { Client } from "../client.ts";
import { ExitCode, usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { collect, withExamples } from "../options.ts";
import { readReport, renderReport } from "../report.ts";
import { toSafeJson } from "../../core/safe-text.ts";
import { readRenames, withVariables } from "../variables.ts";
import { servingCommand, startGateway, writeReadyFile } from "./serve.ts";

interface ExecOptions {
  readonly as?: readonly string[];
  readonly report?: boolean;
  readonly json?: boolean;
}

export function execCommand(io: Io): Command {
  const command = servingCommand("exec", { port: 0, memory: true })
    .description("run a command beside a sandbox of its own, and end as it ends")
    .usage("[options] -- <command> [arguments]")
    .argument("<command...>", "what to run, and its arguments")
    .option("--as <name=variable>", "pass a variable under another name; may be repeated", collect)
    .option("--report", "wait for the last webhooks, then say on stderr what happened")
    .action(async (words: readonly string[]) => {
      const exitCode = await exec(words, command, io);
      if (exitCode !== 0) throw new ExitCode(exitCode);
    });
  return withExamples(command, [
    "exec -- npm test                        PIX_SANDBOX_URL, _BASE_URL, _SECRET and _TOKEN are set",
    "exec --as BASE_URL=PIX_API -- npm test  the base address as PIX_API instead",
    "exec --seed 42 --report -- ./suite.sh   what happened is said at the end",
  ]);
}

/** @returns the exit code of what ran. */
async function exec(words: readonly string[], command: Command, io: Io): Promise<number> {
  const { as = [], report, json } = command.opts<ExecOptions>();
  const renames = readRenames(as);
  if (words[0] === "") throw usageError(t`The command is empty.`, t`Name one behind --.`);
  const started = await startGateway(command, io);
  await using sandbox = started.sandbox;
  await using _ = await writeReadyFile(started);
  const caller = new Client({ url: sandbox.url, token: io.env["PIX_SANDBOX_TOKEN"] });
  const environment = await caller.control<Environment>("GET", "/env");
  const exitCode = await runToEnd(words, withVariables(io.env, environment, renames), io);
  if (report) {
    const told = await readReport(new Client({ url: sandbox.url }));
    io.say(json ? toSafeJson(told) : renderReport(told));
  }
  return exitCode;
}
