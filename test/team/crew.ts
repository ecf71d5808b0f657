import { pause } from "../../src/platform/pause.ts";
import { type Serving, startServe } from "../support/cli.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import type { Postgres } from "../support/postgres.ts";

const PROBE_EVERY_MS = 10;

/** A process of the team, and the network between it and the database. */
export interface Mate {
  readonly serving: Serving;
  readonly proxy: CuttingProxy;
}

/** Several processes that share a state in one database. */
export class Crew implements AsyncDisposable {
  readonly #server: Postgres;
  readonly #database: string;
  readonly #args: readonly string[];
  readonly #mates: Mate[] = [];
  #isOver = false;
  #probing: Promise<void> = Promise.resolve();
  #lastLedMs = performance.now();
  /** The longest time for which no process was ready since the last {@link takeGap}. */
  #gapMs = 0;

  private constructor(server: Postgres, database: string, args: readonly string[]) {
    this.#server = server;
    this.#database = database;
    this.#args = args;
  }

  static async start(
    server: Postgres,
    { count, args = [] }: { count: number; args?: readonly string[] },
  ): Promise<Crew> {
    const crew = new Crew(server, await server.createDatabase(), args);
    for (let number = 0; number < count; number++) await crew.add();
    await crew.leader();
    crew.#probing = crew.#probe();
    return crew;
  }

  get database(): string {
    return this.#database;
  }

  get urls(): readonly string[] {
    return this.#mates.map(({ serving }) => serving.url);
  }

  get mates(): readonly Mate[] {
    return this.#mates;
  }

  /** Adds a process. */
  async add(): Promise<Mate> {
    const proxy = await startCuttingProxy(this.#server.port);
    const state = `postgres://postgres@127.0.0.1:${proxy.port}/${this.#database}?sandbox=team`;
    const serving = await startServe(["--state", state, ...this.#args]);
    const mate = { serving, proxy };
    this.#mates.push(mate);
    return mate;
  }

  /** Takes a process out, which has died. */
  async remove(mate: Mate): Promise<void> {
    this.#mates.splice(this.#mates.indexOf(mate), 1);
    await mate.proxy[Symbol.asyncDispose]();
    await mate.serving[Symbol.asyncDispose]();
  }

  /** The process that leads, as soon as one does; not `except`. */
  async leader(except?: Mate): Promise<Mate> {
    const untilMs = performance.now() + PATIENCE_MS;
    while (performance.now() < untilMs) {
      for (const mate of this.#mates) if (mate !== except && (await isReady(mate))) return mate;
      await pause(PROBE_EVERY_MS);
    }
    throw new Error(
      `Nobody leads: ${this.#mates.map(({ serving }) => serving.stderr).join("\n---\n")}`,
    );
  }

  /** The longest time without a leader since the last call, in milliseconds. */
  takeGap(): number {
    const gap = this.#gapMs;
    this.#gapMs = 0;
    return Math.round(gap);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#probing;
    while (this.#mates[0]) {
      const [mate] = this.#mates;
      mate.serving.process.kill("SIGKILL");
      await this.remove(mate);
    }
  }

  async #probe(): Promise<void> {
    this.#lastLedMs = performance.now();
    while (!this.#isOver) {
      const ready = await Promise.all(this.#mates.map(isReady));
      const nowMs = performance.now();
      this.#gapMs = Math.max(this.#gapMs, nowMs - this.#lastLedMs);
      if (ready.some(Boolean)) this.#lastLedMs = nowMs;
      await pause(PROBE_EVERY_MS);
    }
  }
}

async function isReady({ serving }: Mate): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(300);
    return (await fetch(`${serving.url}/_sandbox/ready`, { signal })).ok;
  } catch {
    return false;
  }
}
