import { closeSync, openSync } from "node:fs";
import { access, open, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { LocalizedError } from "../../../core/records/errors.ts";
import type { Claim, Holder, HolderQuery } from "./lock-protocol.ts";
import { toHolder } from "./lock-socket.ts";
import { say } from "../../../text/message.ts";

// Read once: fake timers that a test installs later do not stop the heartbeat.
const { setTimeout, clearTimeout } = globalThis;

/** How often a claim beats, and how often and how many times others look for a change before they consider it dead. */
export interface Pace {
  readonly beatMs: number;
  readonly lookMs: number;
  readonly looks: number;
}

/** A claim is dead if it did not beat for ten seconds. */
export const PACE: Pace = { beatMs: 1000, lookMs: 500, looks: 20 };

/**
 * A claim that is a file with a heartbeat: its process changes it every second. A process that does not run for ten
 * seconds (it died or was stopped, or its machine sleeps) is considered dead; the process that takes over removes its
 * file. Names are never reused, and a beat never creates the file again, so a process that comes back notices that it
 * has lost the state. It must check (`assertHeld`) before each change of the state, and again before it reports the
 * change as durable.
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
      // A network file system asks its server when a file is opened; `stat` may be out of date.
      closeSync(openSync(this.address, "r"));
    } catch (error) {
      if (!isGone(error)) throw error;
      throw new LocalizedError(
        say`another sandbox took the state over while this one was suspended (the lock ${this.address} is gone)`,
      );
    }
  }

  #beatLater(): void {
    this.#timer = setTimeout(() => {
      this.#beating = this.#write("r+").then(
        () => this.#timer && this.#beatLater(),
        // A beat that failed for another reason may succeed the next time.
        (error) => isGone(error) || (this.#timer && this.#beatLater()),
      ) as Promise<void>;
    }, this.#pace.beatMs).unref();
  }

  async #write(flags: "wx" | "r+"): Promise<void> {
    const decision = this.#isHolder ? "holds" : "wants";
    // Other users may read it to find the process that holds the state.
    const file = await open(this.address, flags, 0o644);
    try {
      await file.write(`${decision} ${process.pid} ${hostname()} ${++this.#beats}\n`, 0);
    } finally {
      await file.close();
    }
  }
}

/** Watches a file with a heartbeat. Counts looks instead of time: a machine that slept has not looked. */
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
      const identity = /^holds (.*) \d+\n$/.exec(text)?.[1];
      if (identity !== undefined) return toHolder(identity);
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

/** @returns undefined if the file does not exist any more. */
async function read(address: string): Promise<string | undefined> {
  try {
    return await readFile(address, "utf8");
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return ["ENOENT", "ESTALE"].includes((error as NodeJS.ErrnoException).code ?? "");
}
