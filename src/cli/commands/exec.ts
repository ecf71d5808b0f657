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
import { toSafeJson } from "../../text/safe-text.ts";
import { servingCommand } from "../serving/command.ts";
import { startLog } from "../serving/log.ts";
import { inspectorUrl, toReady, writeReadyFile } from "../serving/ready.ts";
import { startGateway } from "../serving/start.ts";
import { readRenames } from "../definition/variables.ts";
import { arg, optionalArg } from "../definition/placeholders.ts";

interface ExecOptions {
  readonly as?: readonly string[];
  readonly report?: boolean;
  readonly ui?: boolean;
  readonly json?: boolean;
}

export function execCommand(io: Io): Command {
  const command = servingCommand("exec", "exec")
    .usage(`${optionalArg("options")} -- ${arg("command")} ${optionalArg("arguments")}`)
    .argument(
      arg("command..."),
      localize({ en: "the command and its arguments", pt: "o comando e seus argumentos" }),
    )
    .addOption(asOption())
    .option(
      "--report",
      localize({
        en: "wait for the last webhooks, then print a summary and the review to stderr",
        pt: "espera os últimos webhooks e imprime um resumo e a revisão em stderr",
      }),
    )
    .option(
      "--ui",
      localize({
        en: "open the inspector in the browser, and print its address",
        pt: "abre o inspetor no navegador e imprime o endereço dele",
      }),
    )
    .action(async (words: readonly string[]) => {
      const exitCode = await exec(words, command, io);
      if (exitCode !== 0) throw new ExitCode(exitCode);
    });
  return withExamples(command, [
    [
      "exec -- npm test",
      {
        en: "sets PIX_SANDBOX_URL, _BASE_URL, _SECRET and _TOKEN",
        pt: "define PIX_SANDBOX_URL, _BASE_URL, _SECRET e _TOKEN",
      },
    ],
    [
      "exec --as BASE_URL=PIX_API -- npm test",
      { en: "passes the base address as PIX_API", pt: "passa o endereço base como PIX_API" },
    ],
    [
      "exec --seed 42 --report -- ./suite.sh",
      { en: "prints a report at the end", pt: "imprime um relatório no fim" },
    ],
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
    io.printError(`${localize({ en: "Inspector", pt: "Inspetor" })}: ${inspectorUrl(sandbox)}`);
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
    const review = await readReview(reader);
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
