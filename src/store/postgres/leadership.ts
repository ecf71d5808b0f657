import { randomUUID } from "node:crypto";
import { type Eventually, type Lease, NotLeadingError } from "../../core/state/ports.ts";
import { reasonOf } from "../errors.ts";
import { clearTimeout, monotonicNowMs, setTimeout } from "../../platform/real-time.ts";
import type { LeaseTable } from "./lease-table.ts";
import { type Message, say } from "../../text/message.ts";

/** How often a lease is renewed, or looked at, while it runs. */
const TIMES_A_LEASE = 4;
/** A leader's own clock may run slower than the database's by this share. */
const CLOCK_SHARE = 0.05;

/**
 * Whether this process leads. The leader renews its lease in the database. It leads until the last confirmed lease
 * ends, by its own clock. Then another process may lead. If none does, it leads again after the next renewal.
 */
export class Leadership implements Lease {
  readonly #table: LeaseTable;
  readonly #leaseMs: number;
  readonly #address: () => string;
  readonly #onLead: () => void;
  readonly #onLost: () => void;
  readonly #onSeen: () => void;
  readonly #report: (text: Message) => void;
  /** Whether the last call of the database failed. */
  #isFailing = false;
  /** Names this leadership; undefined while this process does not lead. */
  #holder: string | undefined;
  #confirmedAtMs = Number.NEGATIVE_INFINITY;
  /** The address of the process that leads, as last seen. */
  leaderAddress: string | null = null;
  /** Whether another process leads, with the address of this one. */
  hasDouble = false;
  #seenEndsAt: string | undefined;
  /** Ends the calls under way when the lease has run out. */
  readonly #guarded = new Set<() => void>();
  #lapse: NodeJS.Timeout | undefined;
  #wake: () => void = () => undefined;
  #isClosed = false;
  #isCandidate = false;
  /** Whether the lease had run out since it was confirmed. */
  #hasLapsed = false;
  onRegained: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: {
    table: LeaseTable;
    leaseMs: number;
    /** Where other processes and callers reach this one. */
    address: () => string;
    /** Called when this process leads. */
    onLead: () => void;
    /** Called when another process leads, or will. */
    onLost: () => void;
    /** Called after each look at the lease of another process. */
    onSeen: () => void;
    /** Receives a text when the database cannot be used. */
    report: (text: Message) => void;
  }) {
    this.#table = parts.table;
    this.#leaseMs = parts.leaseMs;
    this.#address = parts.address;
    this.#onLead = parts.onLead;
    this.#onLost = parts.onLost;
    this.#onSeen = parts.onSeen;
    this.#report = parts.report;
  }

  get isHeld(): boolean {
    return this.#holder !== undefined && monotonicNowMs() < this.#endsAtMs;
  }

  async guard<Result>(work: () => Eventually<Result>): Promise<Result> {
    if (!this.isHeld) throw this.#refusal();
    let end: (() => void) | undefined;
    try {
      const lapsed = new Promise<never>((_resolve, reject) => {
        end = () => reject(this.#refusal());
      });
      if (end) this.#guarded.add(end);
      const result = await Promise.race([work(), lapsed]);
      if (!this.isHeld) throw this.#refusal();
      return result;
    } finally {
      if (end) this.#guarded.delete(end);
    }
  }

  /** Looks who leads from now on. */
  start(): void {
    this.#running = this.#run();
  }

  /**
   * Call it when this process has read everything. From then on it takes a free lease. After it has lost the lease,
   * call it again.
   */
  stand(): void {
    this.#isCandidate = true;
    this.hint();
  }

  get isLeader(): boolean {
    return this.#holder !== undefined;
  }

  /** Looks at the lease soon: it may have ended. */
  hint(): void {
    if (this.#holder === undefined) this.#wake();
  }

  /** Another process has written the journal. */
  lose(): void {
    if (this.#holder === undefined) return;
    const holder = this.#holder;
    this.#holder = undefined;
    this.#isCandidate = false;
    this.#endGuarded();
    // A standby can then lead before the lease has run out.
    void this.#table.release(holder).catch(() => undefined);
    this.#onLost();
  }

  /** Ends the leadership, so that another process leads at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const holder = this.#holder;
    this.#holder = undefined;
    this.#endGuarded();
    this.#wake();
    await this.#running;
    if (holder !== undefined) await this.#table.release(holder).catch(() => undefined);
    this.#table.close();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      let waitMs = this.#leaseMs / TIMES_A_LEASE;
      try {
        if (this.#holder === undefined) waitMs = Math.min(waitMs, await this.#stand());
        else await this.#renew(this.#holder);
        this.#isFailing = false;
      } catch (error) {
        // A lease that cannot be renewed runs out by itself.
        waitMs /= 2;
        if (!this.#isFailing && !this.#isClosed) this.#report(unreachable(error));
        this.#isFailing = true;
      }
      if (!this.#isClosed) await this.#pause(waitMs);
    }
  }

  /** @returns how long to wait for the end of the lease */
  async #stand(): Promise<number> {
    const { address, remainingMs, endsAt } = await this.#table.look();
    this.leaderAddress = remainingMs > 0 ? address : null;
    this.#seeDouble(endsAt);
    this.#onSeen();
    if (remainingMs > 0) return remainingMs;
    if (!this.#isCandidate) return this.#leaseMs;
    const holder = randomUUID();
    const sentAtMs = monotonicNowMs();
    if (!(await this.#table.take(holder, this.#address(), this.#leaseMs))) return 0;
    if (this.#isClosed) {
      await this.#table.release(holder).catch(() => undefined);
      return 0;
    }
    this.#holder = holder;
    this.hasDouble = false;
    this.#seenEndsAt = undefined;
    this.leaderAddress = this.#address();
    this.#hasLapsed = false;
    this.#confirm(sentAtMs);
    this.#onLead();
    return this.#leaseMs;
  }

  /** A lease with our address is from our last run. If it gets renewed, another process uses our address. */
  #seeDouble(endsAt: string): void {
    const isOwn = this.leaderAddress === this.#address();
    const isRenewed = this.#seenEndsAt !== undefined && this.#seenEndsAt !== endsAt;
    this.#seenEndsAt = isOwn ? endsAt : undefined;
    if (!isOwn) this.hasDouble = false;
    if (!isOwn || !isRenewed || this.hasDouble) return;
    this.hasDouble = true;
    this.#report(sameAddress(this.#address()));
  }

  async #renew(holder: string): Promise<void> {
    const sentAtMs = monotonicNowMs();
    const isLeading = await this.#table.renew(holder, this.#leaseMs);
    if (this.#holder !== holder) return;
    if (!isLeading) return this.lose();
    this.#confirm(sentAtMs);
    if (!this.#hasLapsed) return;
    this.#hasLapsed = false;
    this.onRegained?.();
  }

  /** @param sentAtMs the time before the call; the lease in the database ends later than we assume */
  #confirm(sentAtMs: number): void {
    this.#confirmedAtMs = sentAtMs;
    this.#awaitLapse();
  }

  /** Ends the calls under way when the lease has run out. */
  #awaitLapse(): void {
    clearTimeout(this.#lapse);
    const lapse = (): void => {
      // Timers count from the beginning of the turn in which they were set, so they can ring early.
      if (this.isHeld) return this.#awaitLapse();
      this.#hasLapsed = true;
      this.#endGuarded();
    };
    this.#lapse = setTimeout(lapse, Math.max(0, this.#endsAtMs - monotonicNowMs()) + 1).unref();
  }

  get #endsAtMs(): number {
    return this.#confirmedAtMs + this.#leaseMs * (1 - CLOCK_SHARE);
  }

  #endGuarded(): void {
    for (const end of this.#guarded) end();
    this.#guarded.clear();
  }

  #pause(durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #refusal(): NotLeadingError {
    return new NotLeadingError(
      say`This process does not lead now, so it cannot know the outcome. Repeat the call with the same idempotency key.`,
    );
  }
}

function sameAddress(address: string): Message {
  return say`Another process leads, and has the same address as this one: ${address}. Give each process its own address with --advertise.`;
}

function unreachable(error: unknown): Message {
  const reason = reasonOf(error);
  return say`The database cannot be used: ${reason}. The sandbox tries again by itself.`;
}
