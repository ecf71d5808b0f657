import type { DueQueue } from "./due-queue.ts";
import type { Clock } from "./clock.ts";
import { DUE_AT_ONCE, type Gateway } from "../gateway.ts";
import { type Timer, type WebhookSender, StorageError } from "../ports.ts";
import type { Change } from "../state/records.ts";
import type { StreamEvent } from "../state/stream-event.ts";

/** An event and the sandbox's time at which it fell due. */
export interface TimedEvent {
  readonly atMs: number;
  readonly event: StreamEvent;
}

/** Lets what falls due happen: by itself as time passes, or all at once as time is moved. */
export class ClockDriver {
  readonly #clock: Clock;
  readonly #dueQueue: DueQueue;
  readonly #gateway: Gateway;
  readonly #sender: WebhookSender;
  readonly #timer: Timer;
  #armedForMs = Number.POSITIVE_INFINITY;
  #moving: Promise<unknown> = Promise.resolve();
  /** How many moves are under way or wait for their turn. */
  #moves = 0;
  /** How many times all was replaced: moves that began before end at their next step. */
  #replacements = 0;
  #isStopped = false;

  constructor(parts: {
    clock: Clock;
    dueQueue: DueQueue;
    gateway: Gateway;
    sender: WebhookSender;
    timer: Timer;
  }) {
    this.#clock = parts.clock;
    this.#dueQueue = parts.dueQueue;
    this.#gateway = parts.gateway;
    this.#sender = parts.sender;
    this.#timer = parts.timer;
  }

  /** Lets what is overdue happen, then keeps watch. */
  start(): void {
    this.#dueQueue.onEarlier = () => this.#arm();
    this.#ring();
  }

  stop(): void {
    this.#isStopped = true;
    this.#dueQueue.onEarlier = undefined;
    this.#timer.clear();
  }

  /**
   * Moves the sandbox's time forward, from due time to due time; each step's attempts end before the next is looked for.
   * @returns what happened, in order, once all of it has.
   */
  advanceTo(targetMs: number): Promise<readonly TimedEvent[]> {
    return this.#inTurn((isOver) => this.#moveTo(targetMs, isOver));
  }

  /** The same by so many milliseconds from where an advance before this one ends. */
  advanceBy(stepMs: number): Promise<readonly TimedEvent[]> {
    return this.#inTurn((isOver) => this.#moveTo(this.#clock.nowMs() + stepMs, isOver));
  }

  /** Lets time stand still, once what is due by now has happened. */
  freeze(): Promise<readonly TimedEvent[]> {
    return this.#inTurn((isOver) => {
      this.#clock.freeze();
      return this.#moveTo(this.#clock.nowMs(), isOver);
    });
  }

  /** Lets time go on from where it stands. */
  resume(): Promise<readonly TimedEvent[]> {
    return this.#inTurn((isOver) => {
      this.#clock.resume();
      return this.#moveTo(this.#clock.nowMs(), isOver);
    });
  }

  /**
   * Puts other rows in the place of all that there is, and the clock to where they say; of an integration
   * alone, the time stays as it is. Moves under way end early: what they move through is no more.
   */
  replace(integration: string | null, makeRows: () => Change): Promise<void> {
    if (integration !== null) return this.#gateway.replace(integration, makeRows);
    this.#replacements++;
    // A move waits for attempts in flight, which are not to be waited for.
    if (this.#moves > 0) this.#sender.drop(null);
    return this.#inTurn(async () => {
      await this.#gateway.replace(null, makeRows);
      this.#armedForMs = Number.POSITIVE_INFINITY;
      this.#arm();
    });
  }

  /** Resolves once nothing of an integration, or of any where it is null, is in flight or due at the clock's now. */
  async settle(integration: string | null): Promise<void> {
    do {
      // A move begins attempts of its own, step by step.
      await this.#moving;
      this.#gateway.catchUp();
      await this.#sender.idle(integration);
    } while (
      !this.#isStopped &&
      (this.#moves > 0 || this.#dueQueue.nextDueMs <= this.#clock.nowMs())
    );
  }

  #inTurn<Result>(move: (isOver: () => boolean) => Promise<Result>): Promise<Result> {
    this.#moves++;
    const replacements = this.#replacements;
    const isOver = (): boolean => this.#isStopped || this.#replacements !== replacements;
    const moved = this.#moving.then(() => move(isOver)).finally(() => this.#moves--);
    this.#moving = moved.catch(() => undefined);
    return moved;
  }

  async #moveTo(targetMs: number, isOver: () => boolean): Promise<readonly TimedEvent[]> {
    const stopListening = this.#gateway.eventLog.onMore(() => undefined);
    return this.#happenUntil(targetMs, isOver).finally(stopListening);
  }

  async #happenUntil(targetMs: number, isOver: () => boolean): Promise<readonly TimedEvent[]> {
    const happened: TimedEvent[] = [];
    let seen = this.#gateway.lastEventNumber;
    const settle = async (): Promise<void> => {
      await this.#sender.underWay();
      for (const event of this.#gateway.eventLog.after(seen, Number.POSITIVE_INFINITY)) {
        happened.push({ atMs: timeOf(event) ?? this.#clock.nowMs(), event });
        seen = event.number;
      }
    };
    await settle();
    while (!isOver() && this.#dueQueue.nextDueMs <= targetMs) {
      this.#gateway.moveTowards(targetMs);
      await settle();
    }
    if (!isOver()) this.#clock.moveTo(targetMs);
    await this.#gateway.keepClock();
    this.#armedForMs = Number.POSITIVE_INFINITY;
    this.#arm();
    return happened;
  }

  #ring(): void {
    this.#armedForMs = Number.POSITIVE_INFINITY;
    try {
      // The rest is still due, and rings again at once: in between, requests are answered.
      this.#gateway.catchUp(DUE_AT_ONCE);
      this.#arm();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#timer.set(RETRY_MS, () => this.#ring());
    }
  }

  #arm(): void {
    const dueMs = this.#dueQueue.nextDueMs;
    const delayMs = this.#clock.realMsUntil(dueMs);
    if (this.#isStopped || dueMs >= this.#armedForMs || delayMs === Number.POSITIVE_INFINITY)
      return;
    this.#armedForMs = dueMs;
    this.#timer.set(delayMs, () => this.#ring());
  }
}

/** When a record came to its status; of all else it is not told. */
function timeOf(event: StreamEvent): number | undefined {
  if (event.kind !== "payin" && event.kind !== "payout") return undefined;
  const { settledAtMs, createdAtMs } = event.kind === "payin" ? event.payin : event.payout;
  return settledAtMs ?? createdAtMs;
}

/** How soon what a store refused is tried again. */
const RETRY_MS = 1000;
