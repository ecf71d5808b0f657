import { closeSync, openSync } from "node:fs";
import { access, open, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { LocalizedError } from "../../core/errors.ts";
import type { Claim, Holder, HolderQuery } from "./lock-protocol.ts";
import { toHolder } from "./lock-socket.ts";

// As they are now: a test that fakes the timers later does not stop the heart.
const { setTimeout, clearTimeout } = globalThis;

/** How often a claim beats, and how often and how many times others look for a change until they take it for dead. */
export interface Pace {
  readonly beatMs: number;
  readonly lookMs: number;
  readonly looks: number;
}

/** Dead is what did not beat for ten seconds. */
export const PACE: Pace = { beatMs: 1000, lookMs: 500, looks: 20 };

/**
 * A claim that is a file with a heartbeat: its process changes it every second. A process that does not run
 * for ten seconds (it died, is stopped, or its machine sleeps) is taken for dead, and its file is removed
 * by the one that takes over. No other file ever has the same name, and a beat never makes the file anew;
 * so a process that comes back finds out that it has lost the state. It has to look (`assertHeld`) before
 * each change of the state, and again before it reports the change as durable.
 */
export class HeartbeatClaim implements Claim {
  readonly address: string;
  readonly #pace: Pace;
  #beats = 0;
  #isHolder = false;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  private constructor(address: string, pace: Pace) {
    this.address = address;
    this.#pace = pace;
  }

  static async make(address: string, pace: Pace): Promise<HeartbeatClaim> {
    const claim = new HeartbeatClaim(address, pace);
    try {
      await claim.#write("wx");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") await claim.close();
      throw error;
    }
    claim.#beatLater();
    return claim;
  }

  isVisible(): Promise<boolean> {
    return access(this.address).then(
      () => true,
      () => false,
    );
  }

  async hold(): Promise<boolean> {
    this.#isHolder = true;
    return this.#write("r+").then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#beating;
    await rm(this.address, { force: true }).catch(() => undefined);
  }

  /** Throws if another process has taken the state over. */
  assertHeld(): void {
    try {
      // A network file system asks its server when a file is opened. What `stat` says may be out of date.
      closeSync(openSync(this.address, "r"));
    } catch (error) {
      if (!isDisconnected(error)) throw error;
      throw new LocalizedError({
        en: `another sandbox took the state over while this one was suspended (the lock ${this.address} is gone)`,
        pt: `outro sandbox assumiu o estado enquanto este estava suspenso (a trava ${this.address} não existe mais)`,
      });
    }
  }

  #beatLater(): void {
    this.#timer = setTimeout(() => {
      this.#beating = this.#write("r+").then(
        () => this.#timer && this.#beatLater(),
        // One that fails for another reason may work the next time.
        (error) => isDisconnected(error) || (this.#timer && this.#beatLater()),
      ) as Promise<void>;
    }, this.#pace.beatMs).unref();
  }

  async #write(flags: "wx" | "r+"): Promise<void> {
    const decision = this.#isHolder ? "holds" : "wants";
    // Other users may read it, and so know who holds the state.
    const file = await open(this.address, flags, 0o644);
    try {
      await file.write(`${decision} ${process.pid} ${hostname()} ${++this.#beats}\n`, 0);
    } finally {
      await file.close();
    }
  }
}

/**
 * Watches a file with a heartbeat. What counts is how often it was looked at, not the time: a machine that
 * slept has seen nothing.
 */
export function watchHeartbeat(address: string, { lookMs, looks }: Pace): HolderQuery {
  let setAlive!: (isAlive: boolean) => void;
  const isAlive = new Promise<boolean>((resolve) => {
    setAlive = resolve;
  });
  const watch = async (): Promise<Holder | undefined> => {
    let last = await read(address);
    for (let unchanged = 0; last !== undefined && unchanged < looks; unchanged++) {
      await new Promise((resolve) => {
        setTimeout(resolve, lookMs);
      });
      const text = await read(address);
      if (text === last || text === undefined) {
        if (text === undefined) return undefined;
        continue;
      }
      setAlive(true);
      const who = /^holds (.*) \d+\n$/.exec(text)?.[1];
      if (who !== undefined) return toHolder(who);
      last = text;
      unchanged = -1;
    }
    return undefined;
  };
  const holder = watch()
    .catch(() => {
      setAlive(true);
      return { doubtful: address };
    })
    .finally(() => setAlive(false));
  return { isAlive, holder };
}

/** @returns undefined if the file is gone. */
async function read(address: string): Promise<string | undefined> {
  try {
    return await readFile(address, "utf8");
  } catch (error) {
    if (isDisconnected(error)) return undefined;
    throw error;
  }
}

function isDisconnected(error: unknown): boolean {
  return ["ENOENT", "ESTALE"].includes((error as NodeJS.ErrnoException).code ?? "");
}
