import type { Chronicle } from "../chronicle.ts";
import type { SimulatedTime } from "../time.ts";
import type { TeamProcess } from "./process.ts";

/** What a call of the model returns if it has to wait for the row that another transaction has locked. */
export const BLOCKED = Symbol("blocked");

/** How the model differs from PostgreSQL, to see that the simulation finds it. */
export interface ModelDefects {
  /** A claim adds no line. */
  readonly claimsWithoutLine?: boolean;
  /** An append needs no line before its own. */
  readonly appendsAfterDropped?: boolean;
  /** A lease can be taken while it runs. */
  readonly takesRunningLease?: boolean;
  /** A lease is renewed for a process that another one has replaced. */
  readonly renewsForAnyHolder?: boolean;
  /** A transaction may be idle for ever. */
  readonly idlesForEver?: boolean;
}

/** A connection, as the database sees it. */
export interface Session {
  readonly id: number;
  readonly process: TeamProcess;
  readonly name: string;
  hasEnded: boolean;
  /** Nothing is heard of the other side any more. */
  isHalfOpen: boolean;
  /** When the last request arrives: requests of a connection stay in order. */
  arrivesAtMs: number;
  /** Tells the process that its connection has ended. */
  onEnd: () => void;
}

/** As `PostgresTables` sets it. */
const IDLE_MS = 1000;

/**
 * What PostgreSQL does with the statements of `PostgresTables` and `PostgresLease`. Each method is one transaction, or
 * one statement of the longer ones.
 */
export class ModelDatabase {
  readonly lines = new Map<number, string>([[0, ""]]);
  base = { sequence: 0, text: "", writer: 0 };
  readonly lease: { holder: string | null; address: string | null; expiresAtMs: number } = {
    holder: null,
    address: null,
    expiresAtMs: 0,
  };
  /** Sessions that are told of new lines. */
  readonly listeners = new Map<Session, () => void>();
  #baseRow: Session | undefined;
  #waiting: (() => void)[] = [];
  #sessions = 0;
  readonly #time: SimulatedTime;
  readonly #chronicle: Chronicle;
  readonly #defects: ModelDefects;

  constructor(time: SimulatedTime, chronicle: Chronicle, defects: ModelDefects) {
    this.#time = time;
    this.#chronicle = chronicle;
    this.#defects = defects;
  }

  connect(process: TeamProcess, name: string): Session {
    return {
      id: ++this.#sessions,
      process,
      name,
      hasEnded: false,
      isHalfOpen: false,
      arrivesAtMs: 0,
      onEnd: () => undefined,
    };
  }

  /** Frees what a session has locked. */
  end(session: Session): void {
    if (session.hasEnded) return;
    session.hasEnded = true;
    this.listeners.delete(session);
    this.#release(session);
    session.onEnd();
  }

  /** Executes a call, as soon as no other transaction has locked what it needs. */
  execute<Result>(session: Session, work: () => Result, then: (result: Result) => void): void {
    if (session.hasEnded) return;
    const result = work();
    if (result === BLOCKED) {
      this.#waiting.push(() => this.execute(session, work, then));
      return;
    }
    this.#check();
    then(result);
  }

  append(process: TeamProcess, position: number, lines: string): boolean {
    const added = lines.slice(0, -1).split("\n");
    const hasLast = this.lines.has(position) || this.#defects.appendsAfterDropped === true;
    const isFree = added.every((_line, index) => !this.lines.has(position + index + 1));
    if (!hasLast || !isFree) {
      const isOwn = added.every((line, index) => this.lines.get(position + index + 1) === line);
      if (isOwn) this.#chronicle.meet("append repeated, and its own lines found");
      else if (process.writer !== this.base.writer)
        this.#chronicle.meet("stale leader got a conflict");
      return false;
    }
    for (const [index, line] of added.entries()) this.lines.set(position + index + 1, line);
    return true;
  }

  linesFrom(position: number, limit: number): { sequence: number; line: string }[] {
    if (position < this.base.sequence && !this.lines.has(position))
      this.#chronicle.meet("standby behind a compaction");
    const found: { sequence: number; line: string }[] = [];
    const last = this.lastPosition;
    for (let at = Math.max(position, this.firstPosition); at <= last; at++) {
      const line = this.lines.get(at);
      if (line !== undefined && found.length < limit) found.push({ sequence: at, line });
    }
    return found;
  }

  get firstPosition(): number {
    return Math.min(...this.lines.keys());
  }

  get lastPosition(): number {
    return Math.max(...this.lines.keys());
  }

  claim(process: TeamProcess, position: number, line: string): number | undefined | symbol {
    if (this.#baseRow) return BLOCKED;
    if (this.#defects.claimsWithoutLine) {
      if (this.lastPosition !== position) return undefined;
    } else if (!this.append(process, position, line)) {
      return undefined;
    }
    this.#chronicle.note(`${process.name} has claimed the journal after ${position}`);
    return ++this.base.writer;
  }

  confirm(writer: number): boolean | symbol {
    if (this.#baseRow) return BLOCKED;
    return this.base.writer === writer;
  }

  /** Locks the base row until the session replaces the base or ends. @returns false if another process is the writer */
  lockBase(session: Session, writer: number): boolean | symbol {
    if (this.#baseRow) return BLOCKED;
    if (this.base.writer !== writer) return false;
    this.#baseRow = session;
    if (!this.#defects.idlesForEver)
      this.#time.after(IDLE_MS, () => {
        if (this.#baseRow !== session) return;
        this.#chronicle.meet("idle transaction ended");
        this.end(session);
      });
    return true;
  }

  replaceBase(session: Session, base: { sequence: number; text: string; line?: string }): void {
    const { sequence, text, line } = base;
    this.base = { ...this.base, sequence, text };
    for (const at of this.lines.keys())
      if (at < sequence || line !== undefined) this.lines.delete(at);
    if (line !== undefined) this.lines.set(sequence, line);
    this.#chronicle.note(`${session.process.name} has stored the state at ${sequence}`);
    this.#release(session);
  }

  take(holder: string, address: string, leaseMs: number): boolean {
    const nowMs = this.#time.passedMs;
    if (this.lease.expiresAtMs > nowMs && !this.#defects.takesRunningLease) return false;
    Object.assign(this.lease, { holder, address, expiresAtMs: nowMs + leaseMs });
    this.#chronicle.note(`${address} has taken the lease`);
    return true;
  }

  renew(holder: string, leaseMs: number): boolean {
    if (this.lease.holder !== holder && !this.#defects.renewsForAnyHolder) return false;
    if (this.lease.expiresAtMs < this.#time.passedMs)
      this.#chronicle.meet("lease lapsed and regained");
    this.lease.expiresAtMs = this.#time.passedMs + leaseMs;
    return true;
  }

  release(holder: string): void {
    if (this.lease.holder !== holder) return;
    Object.assign(this.lease, { holder: null, address: null, expiresAtMs: this.#time.passedMs });
  }

  notify(): void {
    for (const hint of this.listeners.values()) hint();
  }

  #release(session: Session): void {
    if (this.#baseRow !== session) return;
    this.#baseRow = undefined;
    for (const go of this.#waiting.splice(0)) this.#time.after(0, go);
  }

  /** Every position from the base on has one line. */
  #check(): void {
    const { firstPosition, lastPosition, lines, base } = this;
    if (lines.size === lastPosition - firstPosition + 1 && lines.has(base.sequence)) return;
    this.#chronicle.violated(
      "the journal has no gap",
      `it has ${lines.size} lines from ${firstPosition} to ${lastPosition}, and the state is at ${base.sequence}`,
    );
  }
}
