import { type ChildProcess, spawn, spawnSync, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { PATIENCE_MS } from "./patience.ts";

export interface RunOptions {
  /** Added to the test's environment without the variables that the program reads. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default `ignore`. */
  readonly stdin?: "ignore" | "pipe";
}

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program; it is killed when the test disposes of it. */
export interface Program extends AsyncDisposable {
  readonly process: ChildProcess;
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

/** No program outlives the tests. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts any Node.js program. */
export function startProgram(
  file: string,
  args: readonly string[],
  options: RunOptions = {},
): Program {
  return startProcess(process.execPath, [file, ...args], options);
}

/** Starts any program. */
export function startProcess(
  command: string,
  args: readonly string[],
  { env, cwd, stdin = "ignore" }: RunOptions = {},
): Program {
  const stdio: StdioOptions = [stdin, "pipe", "pipe"];
  const child = spawn(command, args, { cwd, env: { ...quietEnvironment(), ...env }, stdio });
  const texts = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      texts[name] += chunk;
      for (const look of waiting) look();
    });
  }
  running.add(child);

  let hasEnded = false;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      hasEnded = true;
      running.delete(child);
      resolve({ code, signal, ...texts });
      for (const look of waiting) look();
    });
  });
  ended.catch(() => undefined);

  const lines: Program["lines"] = (stream, count, isMeant = () => true) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        waiting.delete(look);
      };
      const fail = (reason: string): void => {
        stop();
        reject(
          new Error(
            `${reason} before ${count} such lines came on ${stream}.\nstdout: ${texts.stdout}\nstderr: ${texts.stderr}`,
          ),
        );
      };
      const look = (): void => {
        const meant = texts[stream].split("\n").slice(0, -1).filter(isMeant);
        if (meant.length >= count) {
          stop();
          resolve(meant);
        } else if (hasEnded) fail("The program ended");
      };
      const timer = setTimeout(() => fail(`${PATIENCE_MS / 1000} s passed`), PATIENCE_MS);
      waiting.add(look);
      look();
    });

  return {
    process: child,
    get stdout() {
      return texts.stdout;
    },
    get stderr() {
      return texts.stderr;
    },
    ended,
    lines,
    stop: (signal = "SIGINT") => {
      child.kill(signal);
      return ended;
    },
    async [Symbol.asyncDispose]() {
      if (hasEnded) return;
      child.kill("SIGKILL");
      await ended.catch(() => undefined);
    },
  };
}

/** Whether a process exists and is not a zombie. */
export function isRunning(pid: string): boolean {
  return /^[^Z]/.test(stateOf(pid));
}

/** A process's state, as ps prints it; empty if there is no such process. */
export function stateOf(pid: string): string {
  return spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout.trim();
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** The environment of the tests without the variables that the program reads. */
export function quietEnvironment(): NodeJS.ProcessEnv {
  const names =
    /^(PIX_SANDBOX_|VITEST|NODE_ENV$|NODE_OPTIONS$|NO_COLOR$|FORCE_COLOR$|TERM$|LC_|LANG)/;
  const rest = Object.entries(process.env).filter(([name]) => !names.test(name));
  return { ...Object.fromEntries(rest), LANG: "C" };
}
