import path from "node:path";
import { Chalk, type ChalkInstance } from "chalk";
import { toSafeJson } from "../../text/plain/safe-text.ts";
import { CliError, EXIT } from "./errors.ts";
import { LogStream } from "./log-stream.ts";
import { localize, type Words } from "./language.ts";
import { say } from "../../text/message.ts";

/** What a command reads and prints to. Commands use this instead of the process, so that they run in process too. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory: relative paths of files start here. */
  readonly cwd: string;
  readonly stdin: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean | undefined };
  /** Prints a result to stdout. */
  print(text: Words): void;
  /** Prints one JSON value on one line to stdout. */
  printJson(value: unknown): void;
  /** Prints progress, hints, warnings and errors to stderr. */
  printError(text: Words): void;
  /** Rewrites the status, a line below all others on a terminal's stderr. An empty text removes it. */
  showStatus(text: string): void;
  /** Prints a line of a log. Never waits for a slow reader, see {@link LogStream}. */
  log(stream: "stdout" | "stderr", text: string): void;
  /** Whether stderr is a terminal. */
  readonly isTerminal: boolean;
  /** The width of the terminal that shows stdout; undefined if stdout is no terminal. */
  readonly columns?: number | undefined;
  /** Colors for stdout and for stderr; plain if that stream does not support them. */
  readonly color: ChalkInstance;
  readonly errorColor: ChalkInstance;
  /** Aborted when stdout has no reader any more (`| head`), or with a CliError if it cannot be written. */
  readonly unread: AbortSignal;
  /** Calls `handler` on SIGINT, SIGTERM and SIGHUP, or on the given signals. The result removes the listener. */
  onSignal(
    handler: (signal: NodeJS.Signals) => void,
    signals?: readonly NodeJS.Signals[],
  ): () => void;
}

/** The signals that request a stop. */
export const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Signals within this time count as one: for one Ctrl-C, both the terminal and `npm run` send a signal. */
export const SAME_SIGNAL_MS = 100;

/** The process's own streams, environment and signals. */
export function processIo(): Io {
  const { stdout, stderr } = process;
  const env = withoutUnset(process.env);
  const unread = new AbortController();
  const stopPrinting = (error: NodeJS.ErrnoException): void =>
    unread.abort(READER_GONE.has(error.code ?? "") ? undefined : unwritable(error));
  stdout.on("error", stopPrinting);
  // There is no other stream to report the error to.
  stderr.on("error", () => undefined);
  const logs: { stdout?: LogStream; stderr?: LogStream } = {};
  let hasStatus = false;
  const showStatus = (text: string): void => {
    if (!hasStatus && text === "") return;
    hasStatus = text !== "";
    stderr.write(`\r${CLEAR_LINE}${text.slice(0, (stderr.columns || DEFAULT_COLUMNS) - 1)}`);
  };
  return {
    env,
    cwd: process.cwd(),
    // Node opens it when it is first read.
    get stdin() {
      return process.stdin;
    },
    print: (text) => write(stdout, localize(text), stopPrinting),
    printJson: (value) => write(stdout, toSafeJson(value), stopPrinting),
    printError(text) {
      showStatus("");
      write(stderr, localize(text), () => undefined);
    },
    showStatus,
    log: (stream, text) =>
      (logs[stream] ??= new LogStream(process[stream], DROPPED[stream])).print(text),
    isTerminal: stderr.isTTY,
    // The window can be resized while a command runs.
    get columns() {
      if (!stdout.isTTY) return undefined;
      const given = Number(env["COLUMNS"]);
      return given > 0 ? given : stdout.columns || 80;
    },
    color: new Chalk({ level: hasColor(stdout, env) ? 1 : 0 }),
    errorColor: new Chalk({ level: hasColor(stderr, env) ? 1 : 0 }),
    unread: unread.signal,
    onSignal(handler, signals = SIGNALS) {
      for (const signal of signals) process.on(signal, handler);
      return () => {
        for (const signal of signals) process.off(signal, handler);
      };
    },
  };
}

/** A file of the command line. Unchanged if `io` has the process's working directory, so that messages show it as given. */
export function pathIn({ cwd }: Pick<Io, "cwd">, file: string): string {
  return cwd === process.cwd() ? file : path.resolve(cwd, file);
}

/** The line of a log that says how many lines were dropped. A log on stdout is JSON. */
const DROPPED = {
  stdout: (lines: number): string => JSON.stringify({ type: "dropped", lines }),
  stderr: (lines: number): string =>
    localize(say`… ${lines} lines dropped: the reader of this log is slow.`),
};

/** The escape sequence that clears a terminal's line from the cursor on. */
const CLEAR_LINE = "\u001b[K";
/** The width of a terminal that reports none. */
const DEFAULT_COLUMNS = 80;

/** The errors of a pipe without a reader and of a closed terminal. */
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
    say`The output cannot be written: ${message}.`,
    say`Free some space on the disk, or write to another file.`,
  );
}

/**
 * Removes empty variables. An empty control token stays, and is refused: a sandbox must not start without protection by
 * mistake.
 */
export function withoutUnset(env: Io["env"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value = ""]) => {
      if (!name.startsWith("PIX_SANDBOX_")) return true;
      return value !== "" || name === "PIX_SANDBOX_CONTROL_TOKEN";
    }),
  );
}

function hasColor(stream: { isTTY?: boolean }, env: Io["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return true;
  return stream.isTTY === true && env["TERM"] !== "dumb";
}
