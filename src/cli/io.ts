import { Chalk, type ChalkInstance } from "chalk";
import { toSafeJson } from "../core/safe-text.ts";
import { CliError, EXIT } from "./errors.ts";
import { t } from "./language.ts";

/** What a command prints to and reads its surroundings from; it never asks the process itself. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A result, to stdout. */
  print(text: string): void;
  /** One JSON value on one line, to stdout. */
  printJson(value: unknown): void;
  /** Anything else: progress, hints, warnings, to stderr. */
  say(text: string): void;
  /** Colours for stdout and for stderr; plain where that stream takes none. */
  readonly colour: ChalkInstance;
  readonly sayColour: ChalkInstance;
  /** Aborted when stdout takes no more: its reader has gone (`| head`), or a CliError says why. */
  readonly unread: AbortSignal;
  /** Calls `handler` at SIGINT, SIGTERM and SIGHUP, or those that are named; the answer stops that. */
  onSignal(
    handler: (signal: NodeJS.Signals) => void,
    signals?: readonly NodeJS.Signals[],
  ): () => void;
}

/** What asks a command to end. */
export const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The process's own streams, environment and signals. */
export function processIo(): Io {
  const { stdout, stderr, env } = process;
  dropUnset(env);
  const unread = new AbortController();
  const stopPrinting = (error: NodeJS.ErrnoException): void =>
    unread.abort(READER_GONE.has(error.code ?? "") ? undefined : unwritable(error));
  stdout.on("error", stopPrinting);
  // There is no other place to report it to.
  stderr.on("error", () => undefined);
  return {
    env,
    print: (text) => write(stdout, text, stopPrinting),
    printJson: (value) => write(stdout, toSafeJson(value), stopPrinting),
    say: (text) => write(stderr, text, () => undefined),
    colour: new Chalk({ level: takesColour(stdout, env) ? 1 : 0 }),
    sayColour: new Chalk({ level: takesColour(stderr, env) ? 1 : 0 }),
    unread: unread.signal,
    onSignal(handler, signals = SIGNALS) {
      for (const signal of signals) process.on(signal, handler);
      return () => {
        for (const signal of signals) process.off(signal, handler);
      };
    },
  };
}

/** A pipe without a reader, and a terminal that was closed. */
const READER_GONE = new Set(["EPIPE", "EIO"]);

/** Writes a line. Some versions of Node throw if a file cannot be written, others emit the error. */
function write(
  stream: NodeJS.WriteStream,
  text: string,
  onError: (error: NodeJS.ErrnoException) => void,
): void {
  try {
    stream.write(`${text}\n`);
  } catch (error) {
    onError(error as NodeJS.ErrnoException);
  }
}

function unwritable({ message }: Error): CliError {
  return new CliError(
    EXIT.unexpected,
    "OUTPUT_UNWRITABLE",
    t`The output cannot be written: ${message}.`,
    t`Free some space there, or write it elsewhere.`,
  );
}

/** An empty variable is as good as none, and a switch that says off is off: commander knows neither. */
function dropUnset(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (!name.startsWith("PIX_SANDBOX_")) continue;
    const isOff = SWITCHES.has(name) && /^(0|false|no|off)$/i.test(env[name] ?? "");
    if (env[name] === "" || isOff) delete env[name];
  }
}

const SWITCHES = new Set([
  "PIX_SANDBOX_MEMORY",
  "PIX_SANDBOX_EXPLAIN",
  "PIX_SANDBOX_MAGIC",
  "PIX_SANDBOX_HTTPS",
  "PIX_SANDBOX_QUIET",
]);

function takesColour(stream: { isTTY?: boolean }, env: Io["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return true;
  return stream.isTTY === true && env["TERM"] !== "dumb";
}
