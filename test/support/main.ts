import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { Chalk } from "chalk";
import { toSafeJson } from "../../src/core/safe-text.ts";
import { type Io, SIGNALS, withoutUnset } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";
import { type Ended, quietEnvironment } from "./process.ts";

export interface MainOptions {
  /** In addition to the test's own environment without what the program reads. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The whole of stdin. Default: empty. */
  readonly stdin?: string | Buffer;
  /** Sends SIGINT to the command when it aborts. */
  readonly interrupt?: AbortSignal;
}

/**
 * Runs a command of the program in this process. One at a time: the language of messages is global.
 * @returns the same as `runCli`, which starts a process
 */
export async function runMain(
  args: readonly string[],
  { env = {}, cwd = process.cwd(), stdin = "", interrupt }: MainOptions = {},
): Promise<Ended> {
  const printed = { stdout: "", stderr: "" };
  const signals = new EventEmitter();
  const interruptCommand = (): unknown => signals.emit("SIGINT", "SIGINT");
  interrupt?.addEventListener("abort", interruptCommand);
  const io: Io = {
    env: withoutUnset({ ...quietEnvironment(), ...env }),
    cwd,
    stdin: Readable.from([Buffer.from(stdin)]),
    print: (text) => (printed.stdout += `${text}\n`),
    printJson: (value) => (printed.stdout += `${toSafeJson(value)}\n`),
    printError: (text) => (printed.stderr += `${text}\n`),
    colour: new Chalk({ level: 0 }),
    errorColour: new Chalk({ level: 0 }),
    unread: new AbortController().signal,
    onSignal(handler, names = SIGNALS) {
      for (const name of names) signals.on(name, handler);
      return () => {
        for (const name of names) signals.off(name, handler);
      };
    },
  };
  try {
    const code = await main(args, io);
    return { code, signal: null, ...printed };
  } finally {
    interrupt?.removeEventListener("abort", interruptCommand);
  }
}

/** Runs a command with `--json` in this process, and parses what it prints; fails if the command fails. */
export async function runMainJson<Result>(
  args: readonly string[],
  options?: MainOptions,
): Promise<Result> {
  const { code, stdout, stderr } = await runMain([...args, "--json"], options);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}
