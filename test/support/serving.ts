import type { Running } from "./process.ts";

export interface Ready {
  readonly type: string;
  readonly url: string;
  readonly base_url: string;
  readonly inspector_url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  readonly state_file: string | null;
  readonly seed: string;
  readonly secret: string;
}

/** A sandbox that `serve --json` runs. */
export interface Served {
  readonly ready: Ready;
  readonly url: string;
  readonly secret: string;
}

/** The arguments of `serve --json`, on a free port unless they name one. */
export function serveArguments(args: readonly string[]): readonly string[] {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  return ["serve", "--json", ...port, ...args];
}

/** Waits until `serve --json` has printed that it is ready. */
export async function untilReady<Command extends Running>(
  serving: Command,
): Promise<Command & Served> {
  const [line = ""] = await serving.lines("stdout", 1).catch(async (error: Error) => {
    await serving[Symbol.asyncDispose]();
    throw error;
  });
  const ready = JSON.parse(line) as Ready;
  return Object.defineProperties(serving as Command & Served, {
    ready: { value: ready },
    url: { value: ready.url },
    secret: { value: ready.secret },
  });
}
