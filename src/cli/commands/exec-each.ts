import { stripVTControlCharacters } from "node:util";
import type { Command } from "commander";
import {
  type AssumptionName,
  ASSUMPTION_NAMES,
  type AssumptionRow,
  ASSUMPTIONS,
  isAssumptionName,
  readChoice,
  triedChoices,
} from "../../core/assumptions/table.ts";
import { PROGRAM } from "../../platform/program.ts";
import { english } from "../../text/languages.ts";
import { joined, type Message, say } from "../../text/message.ts";
import { toSafeText } from "../../text/plain/safe-text.ts";
import { commandClient } from "../client/command-client.ts";
import { withProgress } from "../client/progress.ts";
import { whyUncalled } from "../review/gate.ts";
import type { Renames } from "../definition/variables.ts";
import { commandEnvironment } from "./exec.ts";
import { readOptions } from "../serving/options.ts";
import { startGateway } from "../serving/start.ts";
import { runCommand } from "../run-command.ts";
import { CliError, EXIT, interruptedError, usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { cutToWidth, foldText } from "../terminal/table.ts";

/** What a run tries: a choice, or, without a name, the choices in force. */
interface Row {
  readonly name: AssumptionName | null;
  readonly choice: string | number | null;
}

const STATUSES = { green: say`green`, red: say`red`, not_reached: say`not reached` };
/** Options that several runs cannot share. */
const OF_ONE_RUN = new Set(
  "port state trace readyFile log report failOn ignore junit markdown".split(" "),
);

/**
 * Runs a command with the choices in force, then once for each other choice, each time with a new sandbox in memory.
 * Prints a line as each run ends.
 * @param each assumptions, or choices `NAME=CHOICE`, to try; empty for all
 * @throws CliError if the first run is red.
 */
export async function execEach(
  each: readonly string[],
  words: readonly string[],
  renames: Renames,
  command: Command,
  io: Io,
): Promise<void> {
  const isJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
  const selected = each.map(readSelected);
  refuseOfOneRun(command);
  const { assumptions: inForce = [] } = (await readOptions(command, io)).options;
  const stopping = new AbortController();
  const stopListening = io.onSignal(() => stopping.abort());
  const print = ({ name, choice }: Row, status: keyof typeof STATUSES, code: number | null) => {
    const question = name && ASSUMPTIONS[name].question;
    if (isJson)
      io.printJson({ name, choice, status, code, question: question && english(question) });
    else io.print(renderRow({ name, choice }, status, io));
  };
  /** @returns undefined if the sandbox cannot have the choice */
  const run = async (row: Row) => {
    const pairs = [...inForce, ...(row.name ? [titleOf(row)] : [])];
    const own = { port: 0, memory: true, quiet: true, trace: undefined, assumptions: pairs };
    const started = await startGateway(command, io, own).catch((error: unknown) => {
      if (row.name === null || !(error instanceof CliError)) throw error;
      if (!isJson) io.printError(say`${titleOf(row)} was not run: ${error.message}`);
    });
    if (!started) return print(row, "not_reached", null);
    await using sandbox = started.sandbox;
    const { controlToken } = started.options;
    const client = commandClient({ url: sandbox.url, controlToken });
    const choices = await client.call("GET /assumptions");
    const others = row.name ? [] : othersThan(choices.data, selected);
    const env = await commandEnvironment(started, renames, io);
    const label = say`Running the command with ${titleOf(row)}`;
    stopping.signal.throwIfAborted();
    const { exitCode, output } = await withProgress(io, { label, isSilent: isJson }, () =>
      runCommand(words, { ...io, env }, { streams: "collect" }),
    );
    // A command that was stopped shows nothing.
    stopping.signal.throwIfAborted();
    print(row, exitCode === 0 ? "green" : "red", exitCode);
    const text = stripVTControlCharacters(output).replaceAll("\r\n", "\n").trimEnd();
    if (exitCode !== 0 && !isJson && text !== "") io.printError(toSafeText(text));
    const review = await client.call("GET /report");
    const reached = review.assumptions.map(({ name }) => name);
    return { exitCode, others, reached, unjudged: whyUncalled(review) };
  };
  try {
    const first = await run({ name: null, choice: null });
    if (!first) return;
    const { exitCode, others, reached, unjudged } = first;
    if (exitCode !== 0) throw redFirst(exitCode);
    const red = new Set<AssumptionName>();
    let tried = 0;
    for (const row of others) {
      const isReached = reached.includes(row.name);
      if (!isReached) print(row, "not_reached", null);
      const ended = isReached ? await run(row) : undefined;
      if (ended) tried += 1;
      if (ended?.exitCode) red.add(row.name);
    }
    const fold = (text: Message): string => foldText(localize(text), io.columns);
    if (!isJson) io.print(fold(unjudged ?? conclude([...red], tried)));
    else if (unjudged) io.printError(fold(unjudged));
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    throw interruptedError(say`The runs were interrupted.`);
  } finally {
    stopListening();
  }
}

function titleOf({ name, choice }: Row): string {
  return name === null ? localize(say`the choices in force`) : `${name}=${choice}`;
}

function renderRow(row: Row, status: keyof typeof STATUSES, { columns, color }: Io): string {
  const width = Math.max(...Object.values(STATUSES).map((text) => localize(text).length));
  const question = row.name ? [localize(ASSUMPTIONS[row.name].question)] : [];
  const cells = [localize(STATUSES[status]).padEnd(width), titleOf(row), ...question];
  const line = cutToWidth(cells.join("  "), columns ?? Number.POSITIVE_INFINITY);
  return status === "red" ? color.red(line) : line;
}

/** An assumption whose other choices are tried, or one of them. */
type Selected = Row & { readonly name: AssumptionName };

/** Reads a value of `--each`. @throws CliError for an unknown name or choice. */
function readSelected(text: string): Selected {
  const [, name = text, choice] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (choice === undefined && isAssumptionName(name)) return { name, choice: null };
  const read = readChoice(name, choice);
  if ("refusal" in read) throw usageError(`--each ${text}: ${localize(read.refusal)}`);
  return { name: name as AssumptionName, choice: read.choice };
}

/** The choices to try. @throws CliError if one of `selected` leaves none. */
function othersThan(inForce: readonly AssumptionRow[], selected: readonly Selected[]) {
  const current = new Map(inForce.map(({ name, choice }) => [name, choice]));
  const all = ASSUMPTION_NAMES.map((name) => ({ name, choice: null }));
  const others = (selected.length > 0 ? selected : all).flatMap(({ name, choice }) => {
    const tried = choice === null ? triedChoices(name) : [choice];
    const left = tried.filter((one) => one !== current.get(name));
    if (left.length > 0 || selected.length === 0) return left.map((one) => ({ name, choice: one }));
    const held = String(current.get(name));
    throw usageError(
      say`--each ${name}: ${held} is in force, and there is no other choice to try.`,
    );
  });
  return [...new Map(others.map((row) => [titleOf(row), row])).values()];
}

function refuseOfOneRun(command: Command): void {
  const given = command.options.find((option) => {
    const name = option.attributeName();
    return OF_ONE_RUN.has(name) && command.getOptionValueSource(name) === "cli";
  });
  if (!given) return;
  throw usageError(
    say`${given.long ?? ""} does not apply to exec --each.`,
    say`Each run has its own sandbox, in memory and on a free port.`,
  );
}

function redFirst(exitCode: number): CliError {
  return new CliError(
    EXIT.checkFailed,
    "FIRST_RUN_FAILED",
    say`The command failed with the choices in force: exit code ${exitCode}. Nothing else ran.`,
    say`Make it pass with: ${PROGRAM} exec -- COMMAND. Then run it with --each again.`,
  );
}

function conclude(red: readonly AssumptionName[], tried: number): Message {
  if (tried === 0) return say`No other choice was tried.`;
  if (red.length === 0) return say`The command passed with every choice that was tried.`;
  const questions = red.map((name) => joined([`\n  ${name}: `, ASSUMPTIONS[name].question], ""));
  return joined([say`Ask the provider what your tests depend on:`, ...questions], "");
}
