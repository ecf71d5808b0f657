import { fileURLToPath } from "node:url";
import { PATIENCE_MS } from "./patience.ts";
import { type Ended, type Program, type RunOptions, startProgram } from "./process.ts";
import { type Served, serveArguments, untilReady } from "./serving.ts";

/** The program as it is installed. */
export const BIN = fileURLToPath(new URL("../../bin/pix-sandbox.js", import.meta.url));

/** A sandbox that serves in a process of its own. */
export interface Serving extends Program, Served {}

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

/** Runs a command with `--json`. Returns what it prints; throws if it fails. */
export async function runJson<Result>(
  args: readonly string[],
  options?: RunOptions,
): Promise<Result> {
  const { code, stdout, stderr } = await runCli([...args, "--json"], options);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

/** Starts `serve --json`, on a free port unless the arguments name one, and waits until it is ready. */
export function startServe(
  args: readonly string[] = ["--memory"],
  options?: RunOptions,
): Promise<Serving> {
  return untilReady(startCli(serveArguments(args), options));
}
