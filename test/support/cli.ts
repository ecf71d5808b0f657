import { type ChildProcess, spawn, spawnSync, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The program as it is installed. */
const BIN = fileURLToPath(new URL("../../bin/pix-sandbox.js", import.meta.url));
/** No wait is meant to take this long: it is what a test says instead of hanging. */
const PATIENCE_MS = 30_000;

export interface RunOptions {
  /** Beside the surroundings of the test, from which everything that the program reads is taken out. */
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

/** A program that runs; it is killed where the test forgets it. */
export interface Program extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Promise<Ended>;
  /** Resolves to the whole lines of a stream once there are `count` that are meant. */
  lines(
    stream: "stdout" | "stderr",
    count: number,
    isMeant?: (line: string) => boolean,
  ): Promise<readonly string[]>;
  /** Asks it to stop, and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** What `serve --json` prints. */
export interface Ready {
  readonly type: string;
  readonly url: string;
  readonly base_url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  readonly state_file: string | null;
  readonly seed: string;
  readonly secret: string;
}

/** A sandbox that serves, as a process of its own. */
export interface Serving extends Program {
  readonly ready: Ready;
  readonly url: string;
  readonly secret: string;
}

/** Nothing outlives the tests, whatever becomes of them. */
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
  const child = spawn(command, args, { cwd, env: { ...quietSurroundings(), ...env }, stdio });
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

/** Starts a command of the program. */
export function startCli(args: readonly string[], options?: RunOptions): Program {
  return startProgram(BIN, args, options);
}

/** Runs a command of the program to its end. */
export async function runCli(args: readonly string[], options?: RunOptions): Promise<Ended> {
  await using program = startCli(args, options);
  const late = setTimeout(() => program.process.kill("SIGKILL"), PATIENCE_MS);
  try {
    return await program.ended;
  } finally {
    clearTimeout(late);
  }
}

/** The same with `--json`, to what it prints; a command that fails fails the test. */
export async function runJson<Result>(
  args: readonly string[],
  options?: RunOptions,
): Promise<Result> {
  const { code, stdout, stderr } = await runCli([...args, "--json"], options);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

/** Starts `serve --json`, on a free port unless the arguments name one, and waits until it is ready. */
export async function startServe(
  args: readonly string[] = ["--memory"],
  options?: RunOptions,
): Promise<Serving> {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const program = startCli(["serve", "--json", ...port, ...args], options);
  const [line = ""] = await program.lines("stdout", 1).catch(async (error: Error) => {
    await program[Symbol.asyncDispose]();
    throw error;
  });
  const ready = JSON.parse(line) as Ready;
  return Object.defineProperties(program as Serving, {
    ready: { value: ready },
    url: { value: ready.url },
    secret: { value: ready.secret },
  });
}

/** A call of a control route that is under way. */
export interface StartedCall extends AsyncDisposable {
  readonly answer: Promise<{ readonly status: number | undefined; readonly body: unknown }>;
}

/** Calls a control route that does not answer at once; resolves when the sandbox has taken the call up. */
export async function startCall(
  url: string,
  method: string,
  route: string,
  token?: string,
): Promise<StartedCall> {
  const request = http.request(`${url}/_sandbox${route}`, {
    method,
    agent: false,
    headers: {
      // The word to go on comes as the call is taken up.
      expect: "100-continue",
      ...(method === "POST" && { "content-length": "0" }),
      ...(token !== undefined && { "x-api-token": token }),
    },
  });
  const answer = (async () => {
    const [incoming] = (await once(request, "response")) as [http.IncomingMessage];
    let text = "";
    for await (const chunk of incoming.setEncoding("utf8")) text += chunk as string;
    return { status: incoming.statusCode, body: JSON.parse(text) as unknown };
  })();
  answer.catch(() => undefined);
  request.flushHeaders();
  await once(request, "continue");
  request.end();
  return {
    answer,
    async [Symbol.asyncDispose]() {
      if (request.closed) return;
      const closed = new Promise((resolve) =>
        request.on("error", () => undefined).once("close", resolve),
      );
      request.destroy();
      await closed;
    },
  };
}

/** Whether a process is there, and not merely waiting to be reaped. */
export function isRunning(pid: string): boolean {
  return /^[^Z]/.test(stateOf(pid));
}

/** A process's state, as ps prints it; nothing if there is no such process. */
export function stateOf(pid: string): string {
  return spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout.trim();
}

/** A new folder, removed with everything in it. */
export async function createFolder(): Promise<
  AsyncDisposable & { readonly path: string; at(name: string): string }
> {
  const folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-"));
  return {
    path: folder,
    at: (name) => path.join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
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

/** Nothing that the program reads may come from whoever runs the tests. */
export function quietSurroundings(): NodeJS.ProcessEnv {
  const names =
    /^(PIX_SANDBOX_|VITEST|NODE_ENV$|NODE_OPTIONS$|NO_COLOR$|FORCE_COLOR$|TERM$|LC_|LANG)/;
  const rest = Object.entries(process.env).filter(([name]) => !names.test(name));
  return { ...Object.fromEntries(rest), LANG: "C" };
}
