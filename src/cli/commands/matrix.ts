import { type Command, Option } from "commander";
import type { AssumptionRow } from "../../core/assumptions/table.ts";
import type { WireReview } from "../../review/report.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { variableOf } from "../../server/options/options.ts";
import { shellWord } from "../../text/plain/shell-word.ts";
import { asOption, commandEnvironment, refuseEmptyCommand } from "../set-up/command-environment.ts";
import { CommandClient } from "../client/command-client.ts";
import { CliError, EXIT, interruptedError, usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { alternativesTo, readSelection, type Selection } from "../matrix/alternatives.ts";
import { killCaptured, runCaptured } from "../matrix/captured-command.ts";
import {
  type Matrix,
  readableLines,
  type RepeatCommand,
  renderMatrix,
  toDocument,
} from "../matrix/render.ts";
import { DEFAULT_JOBS, type Ended, type Run, runAll } from "../matrix/run.ts";
import { collect, wholeNumber, withExamples } from "../definition/options.ts";
import { arg, optionalArg } from "../definition/placeholders.ts";
import { withProgress } from "../client/progress.ts";
import { readRenames, type Renames } from "../definition/variables.ts";
import { servingCommand } from "../serving/command.ts";
import { splitVariable } from "../serving/read-options.ts";
import { startGateway, type Started } from "../serving/start.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";

interface MatrixOptions {
  readonly assume?: readonly string[];
  readonly as?: readonly string[];
  readonly jobs: number;
  readonly json?: boolean;
}

/**
 * Options of `serve` that cannot apply to several sandboxes at once. A config file may set them, for the project's
 * `serve`; they have no effect here.
 */
const NOT_SHARED: ReadonlySet<string> = new Set([
  "port",
  "state",
  "memory",
  "durability",
  "from",
  "trace",
  "strictState",
  "readyFile",
  "log",
  "quiet",
]);
/** Options that `exec` does not need to repeat a run. The control token is a secret: it stays in the environment. */
const NOT_REPEATED: ReadonlySet<string> = new Set([
  ...NOT_SHARED,
  "assume",
  "jobs",
  "json",
  "lang",
  "controlToken",
]);
const ASSUME_VARIABLE = variableOf("assumptions");
const MAX_JOBS = 256;

export function matrixCommand(io: Io): Command {
  const command = servingCommand("matrix", "exec", { assumptions: assumeOption() })
    .usage(`${optionalArg("options")} -- ${arg("command")} ${optionalArg("arguments")}`)
    .argument(arg("command..."), localize(say`the command and its arguments`))
    .addOption(asOption())
    .addOption(
      new Option(
        `--jobs ${arg("number")}`,
        localize(say`the maximum number of runs at a time; 1 for tests that use a fixed port`),
      )
        .argParser(wholeNumber(1, MAX_JOBS))
        .default(DEFAULT_JOBS, localize(say`the number of cores`)),
    )
    .action((words: readonly string[]) => matrix(words, command, io));
  for (const option of command.options)
    if (NOT_SHARED.has(option.attributeName())) option.hideHelp();
  return withExamples(command, [
    ["matrix -- npm test", say`each alternative choice of every assumption`],
    ["matrix --assume payout.rival -- npm test", say`each alternative choice of one assumption`],
    ["matrix --assume error.status=always_400 -- npm test", say`one choice`],
  ]);
}

function assumeOption(): Option {
  return new Option(
    `--assume ${arg("name[=choice]")}`,
    localize(say`change only this assumption, or only to this choice; repeatable`),
  ).argParser(collect);
}

async function matrix(words: readonly string[], command: Command, io: Io): Promise<void> {
  const { assume = [], as = [], jobs, json = false } = command.opts<MatrixOptions>();
  refuseEmptyCommand(words);
  refuseNotShared(command);
  const selection = readSelection(assume);
  const renames = readRenames(as);
  const repeat = repeatCommand(words, command, io);
  // Above the environment and the config file.
  command.setOptionValueWithSource("port", 0, "cli");
  command.setOptionValueWithSource("memory", true, "cli");
  command.setOptionValueWithSource("quiet", true, "cli");
  const stopping = new AbortController();
  const stopListening = io.onSignal(() => {
    if (stopping.signal.aborted) killCaptured();
    stopping.abort();
  });
  const session = new Session(words, command, renames, stopping.signal, io);
  try {
    const found = await runMatrix(session, { selection, jobs, json }, io);
    if (json) io.printJson(toDocument(found));
    else io.print(renderMatrix(found, repeat, io));
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    throw interruptedError(say`The matrix was interrupted.`);
  } finally {
    stopListening();
  }
}

interface Plan {
  readonly selection: Selection;
  readonly jobs: number;
  readonly json: boolean;
}

/** @throws CliError if the command fails in the baseline. */
async function runMatrix(
  session: Session,
  { selection, jobs, json }: Plan,
  io: Io,
): Promise<Matrix> {
  const { baseline, alternatives } = await withProgress(
    io,
    {
      label: say`Running the baseline`,
      isSilent: json,
    },
    () => session.runBaseline(selection),
  );
  if (baseline.exitCode !== 0) {
    if (json) io.printJson(toDocument({ baseline, runs: [] }));
    else for (const line of readableLines(baseline.output)) io.printError(line);
    throw redBaseline(baseline);
  }
  if (baseline.reached.length === 0 && !json) io.printError(io.errorColor.yellow(unusedSandbox()));
  let ended = 0;
  const total = alternatives.length;
  const runs = await withProgress(
    io,
    {
      label: say`Running the alternatives`,
      isSilent: json,
      readState: async () => say`${ended} of ${total}`,
    },
    () =>
      runAll(alternatives, jobs, async ({ name, choice }) => {
        const result = await session.run([`${name}=${choice}`]);
        ended += 1;
        return result;
      }),
  );
  return { baseline, runs };
}

/**
 * Runs the command, each time with a new sandbox in memory on a free port.
 *
 * The sandboxes are in this process: they share no state, start in milliseconds, report why one cannot start as an
 * error instead of as text, and cannot outlive this process. Only the command is in other processes.
 */
class Session {
  readonly #words: readonly string[];
  readonly #command: Command;
  readonly #renames: Renames;
  readonly #signal: AbortSignal;
  readonly #io: Io;
  /** The variable selects choices of all runs, as it does for `exec`. */
  readonly #assume: readonly string[];

  constructor(
    words: readonly string[],
    command: Command,
    renames: Renames,
    signal: AbortSignal,
    io: Io,
  ) {
    this.#words = words;
    this.#command = command;
    this.#renames = renames;
    this.#signal = signal;
    this.#io = io;
    this.#assume = splitVariable(io.env[ASSUME_VARIABLE] ?? "");
  }

  /** Also reads the choices that the alternatives change, before the command runs. */
  async runBaseline(selection: Selection) {
    const started = await this.#start([]);
    await using _ = started.sandbox;
    const { data } = await clientOf(started).control<{ data: AssumptionRow[] }>(
      "GET",
      "/assumptions",
    );
    const alternatives = alternativesTo(data, selection);
    return { baseline: await this.#runWith(started), alternatives };
  }

  async run(assume: readonly string[]): Promise<Ended> {
    const started = await this.#start(assume);
    await using _ = started.sandbox;
    return await this.#runWith(started);
  }

  #start(assume: readonly string[]): Promise<Started> {
    this.#signal.throwIfAborted();
    return startGateway(this.#command, this.#io, [...this.#assume, ...assume]);
  }

  async #runWith(started: Started): Promise<Ended> {
    const env = await commandEnvironment(started, this.#renames, this.#io);
    const { cwd } = this.#io;
    const result = await runCaptured(this.#words, { env, cwd, signal: this.#signal });
    // A command that was stopped has no result.
    this.#signal.throwIfAborted();
    const { assumptions } = await clientOf(started).control<WireReview>("GET", "/report");
    return { ...result, reached: assumptions.map(({ name }) => name) };
  }
}

function clientOf({ sandbox, options: { controlToken } }: Started): CommandClient {
  return new CommandClient({ url: sandbox.url, controlToken });
}

function redBaseline({ exitCode }: Ended): CliError {
  return new CliError(
    EXIT.checkFailed,
    "BASELINE_FAILED",
    say`The command failed in the baseline, without a changed assumption: exit code ${exitCode}. Nothing else ran.`,
    say`Make it pass with: ${PROGRAM} exec -- COMMAND. Then run the matrix again.`,
  );
}

function unusedSandbox(): string {
  return localize(
    say`Warning: the command made no gateway call to its sandbox, so no assumption can affect it. Let it call PIX_SANDBOX_BASE_URL, or pass that address under another name with --as.`,
  );
}

function refuseNotShared(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (!NOT_SHARED.has(name) || command.getOptionValueSource(name) !== "cli") continue;
    throw usageError(
      say`${option.long ?? ""} does not apply to matrix.`,
      say`Each run has its own sandbox, in memory and on a free port.`,
    );
  }
}

/** Renders the `exec` that repeats a run with the same options. */
function repeatCommand(words: readonly string[], command: Command, io: Io): RepeatCommand {
  const options = command.options.flatMap((option) => {
    const name = option.attributeName();
    if (NOT_REPEATED.has(name) || command.getOptionValueSource(name) !== "cli") return [];
    const flag = option.long ?? "";
    const value: unknown = command.getOptionValue(name);
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, String(one)]);
  });
  // An option replaces its variable.
  const assume = splitVariable(io.env[ASSUME_VARIABLE] ?? "");
  return ({ name, choice }: Run) => {
    const choices = [...assume, `${name}=${choice}`].flatMap((pair) => ["--assume", pair]);
    const line = ["exec", ...options, ...choices, "--", ...words];
    return toSafeLine(`${PROGRAM} ${line.map(shellWord).join(" ")}`);
  };
}
