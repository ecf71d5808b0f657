import { readdirSync, readFileSync, watch } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Serving } from "./cli.ts";
import type { Ready } from "./serving.ts";
import { type Program, type RunOptions, startProcess } from "./process.ts";
import { isLock } from "./lock.ts";
import { PATIENCE_MS } from "./patience.ts";

/** Where the program is: `bin`, and what that needs. */
export const PROGRAM = fileURLToPath(new URL("../..", import.meta.url));

/** Starts `serve` on a free port by way of a program that ends in the one that it is given. */
export function startUnder(
  wrapper: readonly string[],
  args: readonly string[],
  { program = PROGRAM, ...options }: RunOptions & { readonly program?: string } = {},
): Program {
  const bin = path.join(program, "bin/pix-sandbox.js");
  const whole = [...wrapper, process.execPath, bin, "serve", "--port", "0", ...args];
  return startProcess(whole[0] ?? "", whole.slice(1), options);
}

/** The same with `--json`, and waits until it is ready. */
export async function serveUnder(
  wrapper: readonly string[],
  args: readonly string[],
  options?: RunOptions,
): Promise<Serving> {
  const program = startUnder(wrapper, ["--json", ...args], options);
  const serving = await untilReady(program);
  if (serving) return serving;
  const { code, stderr } = await program.ended;
  throw new Error(`It ended with ${code} before it was ready: ${stderr}`);
}

/** @returns undefined where it ends before it is ready. */
export async function untilReady(program: Program): Promise<Serving | undefined> {
  const [line] = await program.lines("stdout", 1).catch((error: Error) => {
    const { exitCode, signalCode } = program.process;
    if (exitCode === null && signalCode === null) throw error;
    return [];
  });
  if (line === undefined) return undefined;
  const ready = JSON.parse(line) as Ready;
  return Object.defineProperties(program as Serving, {
    ready: { value: ready },
    url: { value: ready.url },
    secret: { value: ready.secret },
  });
}

/** Resolves when a state file that is in use has all that the journal beside it says. */
export function untilRenewed(file: string, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = watch(path.dirname(file));
    const end = (error?: Error): void => {
      clearTimeout(timer);
      watcher.close();
      if (error) reject(error);
      else resolve();
    };
    const look = (): void => {
      if (isRenewed(file)) end();
    };
    const timer = setTimeout(
      () => end(new Error(`${file} was not renewed in ${PATIENCE_MS / 1000} s.`)),
      PATIENCE_MS,
    );
    signal?.addEventListener("abort", () => end());
    watcher.on("error", end).on("change", look);
    look();
  });
}

/** One journal, whose lines are in the state file: what came while that was made may stand in both. */
function isRenewed(file: string): boolean {
  const folder = path.dirname(file);
  const others = readdirSync(folder).filter(
    (name) =>
      name.startsWith(`${path.basename(file)}.`) && !name.includes(".torn-") && !isLock(name),
  );
  const [only = ""] = others;
  if (others.length !== 1 || !only.endsWith(".journal")) return false;
  try {
    const [header = ""] = readFileSync(file, "utf8").split("\n");
    const [line = "", ...more] = readFileSync(path.join(folder, only), "utf8")
      .split("\n")
      .toReversed();
    return line === "" && sequenceOf(more[0] ?? "") <= sequenceOf(header);
  } catch {
    // It was replaced meanwhile, which is the next event.
    return false;
  }
}

function sequenceOf(line: string): number {
  return Number(/"sequence":(\d+)/.exec(line)?.[1] ?? 0);
}

/** What the store asks of the kernel, but for `write`, which is how a thread reports that it is done with any of it. */
export const TRACED = [
  "openat",
  "fchmod",
  "pwrite64",
  "fdatasync",
  "fsync",
  "rename",
  "unlink",
  "write",
] as const;
export type TracedName = (typeof TRACED)[number];

export interface TracedCall {
  readonly name: TracedName;
  /** How many of that name its thread had made by then: what strace counts for its `when`. */
  readonly nth: number;
  /** What of the state it was about; for a `write`, about what the call was that it reports. Undefined for anything else. */
  readonly part: StatePart | undefined;
}

export type StatePart = "journal" | "new state file" | "state file" | "torn line" | "folder";

/**
 * strace counts the calls of each thread, and interferes with the first that has made so many: the
 * one for files makes more of them beforehand than all others ever do.
 */
const HEAD_START = encodeURIComponent(`
  import { open } from "node:fs/promises";
  for (let time = 0; time < 200; time++) await (await open("/dev/null")).close();
`);

/**
 * What the program is to be started by so that strace writes its calls down, and interferes where it is told to.
 * The program stays the direct child, and with one thread for files it makes its calls in the same order each time.
 */
export function tracing(
  log: string,
  injection?: string,
): { readonly wrapper: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const options = [
    "-D",
    "-f",
    "-qq",
    "-y",
    "-s",
    "0",
    "-o",
    log,
    "-e",
    `trace=${TRACED.join(",")}`,
  ];
  return {
    wrapper: ["strace", ...options, ...(injection ? ["-e", `inject=${injection}`] : [])],
    env: {
      UV_THREADPOOL_SIZE: "1",
      NODE_OPTIONS: `--import=data:text/javascript,${HEAD_START}`,
      // The first start would write the code cache, and make other calls than all later ones.
      NODE_DISABLE_COMPILE_CACHE: "1",
    },
  };
}

/** Reads what strace wrote: the calls in the order in which they began. */
export function readTrace(text: string, folder: string): readonly TracedCall[] {
  const counts = new Map<string, number>();
  const parts = new Map<string, StatePart | undefined>();
  return text.split("\n").flatMap((line): TracedCall[] => {
    const [, thread, called, rest = ""] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    const name = TRACED.find((one) => one === called);
    if (thread === undefined || name === undefined) return [];
    const count = `${thread} ${name}`;
    const nth = (counts.get(count) ?? 0) + 1;
    counts.set(count, nth);
    if (name !== "write") parts.set(thread, partOf(rest, folder));
    const part = parts.get(thread);
    if (name === "write") parts.delete(thread);
    return [{ name, nth, part }];
  });
}

function partOf(rest: string, folder: string): StatePart | undefined {
  // Who only lists the folder looks for files of processes that ended.
  if (!rest.includes(folder) || rest.includes("O_DIRECTORY")) return undefined;
  if (/\.torn-/.test(rest)) return "torn line";
  if (/\.tmp[">]/.test(rest)) return "new state file";
  if (/\.journal[">]/.test(rest)) return "journal";
  return /\.json[">]/.test(rest) ? "state file" : "folder";
}
