import { localize, languageOf, setLanguage } from "../../src/cli/terminal/language.ts";
import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { Chalk } from "chalk";
import { toSafeJson } from "../../src/text/plain/safe-text.ts";
import { type Io, SIGNALS, withoutUnset } from "../../src/cli/terminal/io.ts";
import { main } from "../../src/cli/program/main.ts";
import { type Ended, Output, quietEnvironment, type Running } from "./process.ts";
import { type Served, serveArguments, untilReady } from "./serving.ts";

export interface MainOptions {
  /** Added to the test's environment without the variables that the program reads. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The content of stdin. Default: empty. */
  readonly stdin?: string | Buffer | AsyncIterable<Buffer>;
  /** The width of the terminal. Default: stdout is no terminal. */
  readonly columns?: number;
  /** Whether stdin and stderr are a terminal. Default: false. */
  readonly isTerminal?: boolean;
}

/** A command that runs in this process. `stop` calls its signal handlers. */
export interface RunningMain extends Running {
  stop(signal?: "SIGINT" | "SIGTERM" | "SIGHUP"): Promise<Ended>;
}

/** A sandbox that `serve` runs in this process. */
export interface ServingMain extends RunningMain, Served {}

/** The commands that run, and their language: it is global in a process. */
const running = { language: "", count: 0 };

/**
 * Starts a command of the program in this process. Disposing of it sends SIGINT and waits.
 * Commands that run at the same time must have the same language.
 * @returns the same as `startCli`, which starts a process
 */
export function startMain(
  args: readonly string[],
  { env = {}, cwd = process.cwd(), stdin = "", columns, isTerminal = false }: MainOptions = {},
): RunningMain {
  const output = new Output();
  const signals = new EventEmitter();
  const io: Io = {
    env: withoutUnset({ ...quietEnvironment(), ...env }),
    cwd,
    stdin: Object.assign(Readable.from(isContent(stdin) ? [Buffer.from(stdin)] : stdin), {
      isTTY: isTerminal,
    }),
    print: (text) => output.add("stdout", `${localize(text)}\n`),
    printJson: (value) => output.add("stdout", `${toSafeJson(value)}\n`),
    printError: (text) => output.add("stderr", `${localize(text)}\n`),
    showStatus: () => undefined,
    log: (stream, text) => output.add(stream, `${text}\n`),
    isTerminal,
    columns,
    color: new Chalk({ level: 0 }),
    errorColor: new Chalk({ level: 0 }),
    unread: new AbortController().signal,
    onSignal(handler, names = SIGNALS) {
      for (const name of names) signals.on(name, handler);
      return () => {
        for (const name of names) signals.off(name, handler);
      };
    },
  };
  const ended = inLanguage(languageOf(args, io.env), () => main(args, io))
    .finally(() => output.end())
    .then((code): Ended => ({ code, signal: null, ...output.texts }));
  ended.catch(() => undefined);
  const stop: RunningMain["stop"] = (signal = "SIGINT") => {
    signals.emit(signal, signal);
    return ended;
  };
  return {
    get stdout() {
      return output.texts.stdout;
    },
    get stderr() {
      return output.texts.stderr;
    },
    ended,
    lines: output.lines,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

function isContent(stdin: string | Buffer | AsyncIterable<Buffer>): stdin is string | Buffer {
  return typeof stdin === "string" || Buffer.isBuffer(stdin);
}

/** Runs a command. Fails if another command runs in another language. */
async function inLanguage<Result>(language: string, run: () => Promise<Result>): Promise<Result> {
  if (running.count > 0 && running.language !== language)
    throw new Error(`Another command runs in ${running.language}.`);
  running.language = language;
  running.count += 1;
  try {
    return await run();
  } finally {
    running.count -= 1;
    // Files share a process: the next one starts in English.
    if (running.count === 0) setLanguage("en");
  }
}

/**
 * Runs a command of the program in this process to its end.
 * @returns the same as `runCli`, which starts a process
 */
export async function runMain(args: readonly string[], options?: MainOptions): Promise<Ended> {
  return startMain(args, options).ended;
}

/** Runs `serve --json` in this process, on a free port unless the arguments name one, until it is ready. */
export function serveMain(
  args: readonly string[] = ["--memory"],
  options?: MainOptions,
): Promise<ServingMain> {
  return untilReady(startMain(serveArguments(args), options));
}

/** Runs a command with `--json` in this process, and parses what it prints; fails if the command fails. */
export async function runMainJson<Result>(
  args: readonly string[],
  options?: MainOptions,
): Promise<Result> {
  const { code, stdout, stderr } = await runMain([...args, "--json"], options);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}
