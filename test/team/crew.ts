import { pause } from "../../src/platform/pause.ts";
import { startCli } from "../support/cli.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { freePort, type Program } from "../support/process.ts";

const PROBE_EVERY_MS = 10;

/** A process of the team, which is started again whenever it ends, and the network between it and the database. */
export interface Mate {
  readonly url: string;
  readonly proxy: CuttingProxy;
  program: Program;
  /** The exit codes so far. */
  readonly codes: (number | null)[];
}

/** Several processes with one state in a database. One leads, the others wait. */
export class Crew implements AsyncDisposable {
  readonly mates: Mate[] = [];
  #isOver = false;
  readonly #keeping: Promise<void>[] = [];
  #lastLedMs = performance.now();
  /** The longest time for which no process was ready since the last `takeGap`. */
  #gapMs = 0;

  /** @param url the address of the database, on this machine */
  static async start(url: string, count: number): Promise<Crew> {
    const crew = new Crew();
    for (let number = 0; number < count; number++) await crew.#add(url);
    await crew.leader();
    crew.#lastLedMs = performance.now();
    crew.#keeping.push(crew.#probe());
    return crew;
  }

  get urls(): readonly string[] {
    return this.mates.map(({ url }) => url);
  }

  async #add(url: string): Promise<void> {
    const proxy = await startCuttingProxy(Number(new URL(url).port));
    const state = new URL(url);
    state.port = String(proxy.port);
    const port = String(await freePort());
    const start = (): Program =>
      startCli(["serve", "--json", "--port", port, "--state", `${state.href}?sandbox=team`]);
    const mate: Mate = {
      url: `http://127.0.0.1:${port}`,
      proxy,
      program: start(),
      codes: [],
    };
    this.mates.push(mate);
    const keep = async (): Promise<void> => {
      for (;;) {
        const { code } = await mate.program.ended;
        if (this.#isOver) return;
        mate.codes.push(code);
        mate.program = start();
      }
    };
    this.#keeping.push(keep());
  }

  /** The process that leads, as soon as one does; not `except`. */
  async leader(except?: Mate): Promise<Mate> {
    const untilMs = performance.now() + PATIENCE_MS;
    while (performance.now() < untilMs) {
      for (const mate of this.mates) if (mate !== except && (await isReady(mate))) return mate;
      await pause(PROBE_EVERY_MS);
    }
    throw new Error(
      `Nobody leads: ${this.mates.map(({ program }) => program.stderr).join("\n---\n")}`,
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
    for (const { program } of this.mates) program.process.kill("SIGKILL");
    await Promise.all(this.#keeping);
    for (const { proxy } of this.mates) await proxy[Symbol.asyncDispose]();
  }

  async #probe(): Promise<void> {
    while (!this.#isOver) {
      const ready = await Promise.all(this.mates.map(isReady));
      const nowMs = performance.now();
      this.#gapMs = Math.max(this.#gapMs, nowMs - this.#lastLedMs);
      if (ready.some(Boolean)) this.#lastLedMs = nowMs;
      await pause(PROBE_EVERY_MS);
    }
  }
}

async function isReady({ url }: Mate): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(300);
    return (await fetch(`${url}/_sandbox/ready`, { signal })).ok;
  } catch {
    return false;
  }
}
