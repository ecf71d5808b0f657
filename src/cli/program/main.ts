import { CommanderError } from "commander";
import { toSafeText } from "../../text/plain/safe-text.ts";
import { setImmediate } from "../../platform/real-time.ts";
import { PlayError } from "../../play/play-error.ts";
import { refusedCall } from "../client/command-client.ts";
import { CliError, EXIT, ExitCode, ofPlay, usageError } from "../terminal/errors.ts";
import { type Io, processIo } from "../terminal/io.ts";
import {
  languageOf,
  loadLanguage,
  localize,
  setLanguage,
  speakEnglish,
} from "../terminal/language.ts";
import { COMMANDS, createProgram, wordsOf } from "./program.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";

/** Runs the process's own command line and sets its exit code. */
export async function run(): Promise<void> {
  const exitCode = await main(process.argv.slice(2), processIo());
  process.exitCode = exitCode;
  // After an interrupted stop, unfinished work would keep the process alive. And a process that ends by itself
  // removes its signal listeners first: a late signal would then kill it with another exit code.
  if (exitCode === EXIT.interrupted || process.listenerCount("SIGINT") > 0) process.exit(exitCode);
}

/** Runs one command line, which uses the process only through `io`. @returns its exit code. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const line = withHelpBehind(args);
  // Those after -- are of another command.
  const own = line.includes("--") ? line.slice(0, line.indexOf("--")) : line;
  const isJson = own.includes("--json");
  const language = languageOf(own, io.env);
  await loadLanguage(language);
  setLanguage(language);
  const exitCode = await runLine(line, isJson, io);
  // Failed writes are reported in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  const { reason } = io.unread as { reason: unknown };
  return exitCode === EXIT.done && reason instanceof CliError
    ? reportError(reason, isJson, io)
    : exitCode;
}

/** The command line with `help payin` as `payin --help`. An unknown command stays one. */
function withHelpBehind(args: readonly string[]): readonly string[] {
  const [first, about] = wordsOf(args);
  if (first !== "help") return args;
  const rest = args.toSpliced(args.indexOf("help"), 1);
  const isKnown = about === undefined || COMMANDS.some(({ name }) => name === about);
  return isKnown ? [...rest, "--help"] : rest;
}

/** Runs a command line in the current language, with `isJson` in English. @returns its exit code. */
export async function runLine(args: readonly string[], isJson: boolean, io: Io): Promise<number> {
  if (isJson) speakEnglish();
  try {
    const program = await createProgram(args, isJson, io);
    await program.parseAsync(args, { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (error instanceof ExitCode) return error.exitCode;
    return reportError(error, isJson, io);
  }
}

function reportError(error: unknown, isJson: boolean, io: Io): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  const { exitCode, code, message, hint } = toCliError(error);
  const [text, advice] = [toSafeText(message), hint === undefined ? null : toSafeText(hint)];
  if (isJson) io.printError(JSON.stringify({ error: { code, message: text, hint: advice } }));
  else if (!(error instanceof CommanderError)) {
    io.printError(`${io.errorColor.red(localize(say`error:`))} ${text}`);
    if (advice !== null) io.printError(advice);
  }
  return exitCode;
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof PlayError) return ofPlay(error);
  const refused = refusedCall(error);
  if (refused) return refused;
  // Commander's own error means that it has printed the help because no command was given.
  if (error instanceof CommanderError)
    return usageError(say`The command is missing.`, `${PROGRAM} --help`);
  const message = error instanceof Error ? error.message : String(error);
  return new CliError(EXIT.unexpected, "UNEXPECTED", message);
}
