import type { Command } from "commander";
import { readReview } from "../../client/review.ts";
import { runToEnd } from "../set-up/child.ts";
import { CommandClient } from "../client/command-client.ts";
import { asOption, commandEnvironment, refuseEmptyCommand } from "../set-up/command-environment.ts";
import { ExitCode } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { openBrowser } from "../terminal/open-browser.ts";
import { withExamples } from "../definition/options.ts";
import { renderReview } from "../review/render-review.ts";
import { readSummary, renderSummary } from "../review/summary.ts";
import { toSafeJson } from "../../text/plain/safe-text.ts";
import { servingCommand } from "../serving/command.ts";
import { startLog } from "../serving/log.ts";
import { inspectorUrl, toReady, writeReadyFile } from "../serving/ready.ts";
import { startGateway } from "../serving/start.ts";
import { readRenames } from "../definition/variables.ts";
import { arg, optionalArg } from "../definition/placeholders.ts";
import { say } from "../../text/message.ts";

interface ExecOptions {
  readonly as?: readonly string[];
  readonly report?: boolean;
  readonly ui?: boolean;
  readonly json?: boolean;
}

export function execCommand(io: Io): Command {
  const command = servingCommand("exec", "exec")
    .usage(`${optionalArg("options")} -- ${arg("command")} ${optionalArg("arguments")}`)
    .argument(arg("command..."), localize(say`the command and its arguments`))
    .addOption(asOption())
    .option(
      "--report",
      localize(say`wait for the last webhooks, then print a summary and the review to stderr`),
    )
    .option("--ui", localize(say`open the inspector in the browser, and print its address`))
    .action(async (words: readonly string[]) => {
      const exitCode = await exec(words, command, io);
      if (exitCode !== 0) throw new ExitCode(exitCode);
    });
  return withExamples(command, [
    ["exec -- npm test", say`sets PIX_SANDBOX_URL, _BASE_URL, _SECRET and _TOKEN`],
    ["exec --as BASE_URL=PIX_API -- npm test", say`passes the base address as PIX_API`],
    ["exec --seed 42 --report -- ./suite.sh", say`prints a report at the end`],
  ]);
}

/** @returns the command's exit code. */
async function exec(words: readonly string[], command: Command, io: Io): Promise<number> {
  const { as = [], report, ui, json } = command.opts<ExecOptions>();
  const renames = readRenames(as);
  refuseEmptyCommand(words);
  const started = await startGateway(command, io);
  await using sandbox = started.sandbox;
  const ready = toReady(sandbox, started.stateFile, io);
  await using _ = await writeReadyFile(ready, started.options, sandbox, io);
  startLog(sandbox, { log: started.options.log ?? "none", isJson: false }, io);
  const { controlToken } = started.options;
  const variables = await commandEnvironment(started, renames, io);
  if (ui) {
    io.printError(`${localize(say`Inspector`)}: ${inspectorUrl(sandbox)}`);
    await openBrowser(inspectorUrl(sandbox), io);
  }
  const exitCode = await runToEnd(words, variables, io);
  if (report) {
    // JSON is for programs: it does not depend on the language of the command.
    const reader = new CommandClient({
      url: sandbox.url,
      controlToken,
      ...(json && { language: "en" }),
    });
    const summary = await readSummary(reader);
    const review = await readReview(reader, { final: true });
    // Its sandbox is gone by then.
    const all = "exec --report --json -- …";
    const look = { color: io.errorColor, columns: io.columns, questions: all, all };
    io.printError(
      json
        ? toSafeJson({ ...summary, review })
        : `${renderSummary(summary)}\n\n${renderReview(review, look)}`,
    );
  }
  return exitCode;
}
