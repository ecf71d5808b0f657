import type { Command, Option } from "commander";
import { readReview } from "../../client/review.ts";
import { commandClient } from "../client/command-client.ts";
import { EXIT, ExitCode, usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { coreLanguage, localize } from "../terminal/language.ts";
import { withExamples } from "../definition/options.ts";
import {
  applyGate,
  assertOneFormat,
  GATE_FLAGS,
  type GateFlags,
  whyUncalled,
} from "../review/gate.ts";
import { repeatable, toOption } from "../definition/parameters.ts";
import { toMarkdown } from "../../review/markdown.ts";
import { renderReview } from "../review/render-review.ts";
import { readSummary, renderSummary } from "../review/summary.ts";
import { toSafeJson } from "../../text/plain/safe-text.ts";
import { servingCommand } from "../serving/options.ts";
import { toReady, writeReadyFile } from "../serving/ready.ts";
import { startLog } from "../serving/running.ts";
import { type Started, startGateway } from "../serving/start.ts";
import { type Renames, readRenames, withVariables } from "../definition/variables.ts";
import { foldText } from "../terminal/table.ts";
import { say } from "../../text/message.ts";
import { PASSED_SIGNALS, runCommand } from "../run-command.ts";

interface ExecOptions extends Omit<GateFlags, "fail_on"> {
  readonly failOn?: GateFlags["fail_on"];
  readonly as?: readonly string[];
  readonly report?: boolean;
  readonly each?: true | readonly string[];
  readonly json?: boolean;
}

const AS = repeatable("name=variable", say`pass a variable under another name; repeatable`);

export function execCommand(io: Io): Command {
  const command = servingCommand("exec")
    .usage("[options] -- <command> [arguments]")
    .argument("<command...>", localize(say`the command and its arguments`))
    .addOption(toOption("as", AS))
    .option(
      "--report",
      localize(say`wait for the last webhooks, then print a summary and the review to stderr`),
    )
    .option(
      "--each [name=choice...]",
      localize(say`run once more for each other choice of these assumptions, or of all`),
    )
    .action(async (words: readonly string[]) => {
      const exitCode = await exec(words, command, io);
      if (exitCode !== 0) throw new ExitCode(exitCode);
    });
  for (const option of gateOptions()) command.addOption(option);
  return withExamples(command, [
    ["exec -- npm test", say`sets PIX_SANDBOX_URL, _BASE_URL, _SECRET and _TOKEN`],
    ["exec --report --fail-on error -- npm test", say`fails if the review does`],
    ["exec --each -- npm test", say`shows which gaps of the specification it depends on`],
  ]);
}

const gateOptions = (): Option[] =>
  Object.entries(GATE_FLAGS).map(([name, parameter]) => toOption(name, parameter));

/** @throws CliError for an option about the review, if there will be none. */
function refuseGate(command: Command): void {
  const names = new Set(gateOptions().map((option) => option.attributeName()));
  const given = command.options.find(
    (option) =>
      names.has(option.attributeName()) &&
      command.getOptionValue(option.attributeName()) !== undefined,
  );
  if (given) throw usageError(say`${given.long ?? ""} needs --report.`);
}

/** @returns the command's exit code. @throws CliError if the command succeeds, and its review does not. */
async function exec(words: readonly string[], command: Command, io: Io): Promise<number> {
  const { as = [], report, each, json = false, ...flags } = command.optsWithGlobals<ExecOptions>();
  const renames = readRenames(as);
  // Such as from an unset shell variable.
  if (words[0] === "")
    throw usageError(say`The command is empty.`, say`Pass the command after --.`);
  if (each) {
    const { execEach } = await import("./exec-each.ts");
    await execEach(each === true ? [] : each, words, renames, command, io);
    return EXIT.done;
  }
  if (!report) refuseGate(command);
  assertOneFormat({ json, markdown: flags.markdown });
  const started = await startGateway(command, io);
  await using sandbox = started.sandbox;
  const ready = toReady(sandbox, await sandbox.settings(), started.options.stateFile, io);
  await using _ = await writeReadyFile(ready, started.options, io);
  startLog(sandbox, started.options.log ?? "none", false, io);
  const { controlToken } = started.options;
  const env = await commandEnvironment(started, renames, io);
  // A second signal can arrive late: the sandbox still ends as it should.
  io.onSignal(() => undefined, PASSED_SIGNALS);
  const { exitCode } = await runCommand(words, { ...io, env }, { streams: "inherit" });
  if (!report && started.options.trace === undefined) return exitCode;
  const reader = commandClient({ url: sandbox.url, controlToken });
  const found = await readReview(reader, { final: true });
  const unjudged = whyUncalled(found);
  if (report) {
    const summary = await readSummary(reader);
    const gate = { failOn: flags.failOn, ignored: flags.ignore ?? new Map(), unjudged };
    // Its sandbox is gone by then.
    const all = "exec --report --json -- …";
    const look = { color: io.errorColor, columns: io.columns, questions: all, all };
    const failure = await applyGate(found, gate, {
      junit: flags.junit,
      json,
      io,
      print(review) {
        if (json) io.printError(toSafeJson({ ...summary, review }));
        else if (unjudged) return;
        else if (flags.markdown) io.printError(toMarkdown(review, coreLanguage()));
        else io.printError(`${renderSummary(summary)}\n\n${renderReview(review, look)}`);
      },
    });
    // The command's own failure is the more important one.
    if (failure && exitCode === 0) throw failure;
    if (failure && !json) io.printError(failure.message);
  } else if (unjudged) io.printError(foldText(localize(unjudged), io.columns));
  return exitCode;
}

/** The environment of a command that runs with its own sandbox: it points to that sandbox. */
export async function commandEnvironment(
  { sandbox, options: { controlToken } }: Started,
  renames: Renames,
  { env }: Io,
): Promise<Io["env"]> {
  const caller = commandClient({ url: sandbox.url, controlToken, token: env["PIX_SANDBOX_TOKEN"] });
  return {
    ...withVariables(env, await caller.call("GET /env"), renames),
    ...(controlToken !== undefined && { PIX_SANDBOX_CONTROL_TOKEN: controlToken }),
  };
}
