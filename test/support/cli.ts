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

/** Starts `serve --json`, on a free port unless the arguments name one, and waits until it is ready. */
export function startServe(
  args: readonly string[] = ["--memory"],
  options?: RunOptions,
): Promise<Serving> {
  return untilReady(startCli(serveArguments(args), options));
}
