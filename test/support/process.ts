import { type ChildProcess, spawn, spawnSync, type StdioOptions } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { PATIENCE_MS } from "./patience.ts";

export interface RunOptions {
  /** Added to the test's environment without the variables that the program reads. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default `ignore`. */
  readonly stdin?: "ignore" | "pipe";
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running extends AsyncDisposable {
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Promise<Ended>;
  /** Resolves to the complete lines of a stream for which `isMeant` holds, when there are `count` of them. */
  lines(
    stream: "stdout" | "stderr",
    count: number,
    isMeant?: (line: string) => boolean,
  ): Promise<readonly string[]>;
  /** Sends a signal and waits until the program has ended. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** A running program; it is killed when the test disposes of it. */
export interface Program extends Running {
  readonly process: ChildProcess;
}

/** No program outlives the tests. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function startProgram(
  file: string,
  args: readonly string[],
  options: RunOptions = {},
): Program {
  return startProcess(process.execPath, [file, ...args], options);
}

export function startProcess(
  command: string,
  args: readonly string[],
  { env, cwd, stdin = "ignore" }: RunOptions = {},
): Program {
  const stdio: StdioOptions = [stdin, "pipe", "pipe"];
  const child = spawn(command, args, { cwd, env: { ...quietEnvironment(), ...env }, stdio });
  const output = new Output();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => output.add(name, chunk));
  }
  running.add(child);

  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...output.texts });
      output.end();
    });
  });
  ended.catch(() => undefined);

  return {
    process: child,
    get stdout() {
      return output.texts.stdout;
    },
    get stderr() {
      return output.texts.stderr;
    },
    ended,
    lines: output.lines,
    stop: (signal = "SIGINT") => {
      child.kill(signal);
      return ended;
    },
    async [Symbol.asyncDispose]() {
      if (output.hasEnded) return;
      child.kill("SIGKILL");
      await ended.catch(() => undefined);
    },
  };
}

/** What a command has printed so far. */
export class Output {
  readonly texts = { stdout: "", stderr: "" };
  hasEnded = false;
  readonly #waiting = new Set<() => void>();

  add(stream: "stdout" | "stderr", text: string): void {
    this.texts[stream] += text;
    for (const look of this.#waiting) look();
  }

  /** Fails every wait for lines that are missing. */
  end(): void {
    this.hasEnded = true;
    for (const look of this.#waiting) look();
  }

  lines: Running["lines"] = (stream, count, isMeant = () => true) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      const fail = (reason: string): void => {
        stop();
        const { stdout, stderr } = this.texts;
        const printed = `stdout: ${stdout}\nstderr: ${stderr}`;
        reject(new Error(`${reason} before ${count} such lines came on ${stream}.\n${printed}`));
      };
      const look = (): void => {
        const meant = this.texts[stream].split("\n").slice(0, -1).filter(isMeant);
        if (meant.length >= count) {
          stop();
          resolve(meant);
        } else if (this.hasEnded) fail("The program ended");
      };
      const timer = setTimeout(() => fail(`${PATIENCE_MS / 1000} s passed`), PATIENCE_MS);
      this.#waiting.add(look);
      look();
    });
}

export function isRunning(pid: string): boolean {
  return /^[^Z]/.test(stateOf(pid));
}

/** A process's state, as ps prints it; empty if there is no such process. */
export function stateOf(pid: string): string {
  return spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout.trim();
}

/**
 * A port that nothing listens on, of either family. It is below those that a system gives to whoever asks for any
 * port: nobody else receives it afterwards.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer().listen(port);
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** The environment of the tests without the variables that the program reads. */
export function quietEnvironment(): NodeJS.ProcessEnv {
  const names =
    /^(PIX_SANDBOX_|VITEST|NODE_ENV$|NODE_OPTIONS$|NO_COLOR$|FORCE_COLOR$|TERM$|LC_|LANG)/;
  const rest = Object.entries(process.env).filter(([name]) => !names.test(name));
  return { ...Object.fromEntries(rest), LANG: "C" };
}
