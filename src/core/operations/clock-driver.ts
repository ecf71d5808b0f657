import type { DueQueue } from "../time/scheduler.ts";
import type { Clock } from "../time/clock.ts";
import type { Gateway } from "./gateway.ts";
import { DUE_AT_ONCE } from "./catch-up.ts";
import { type Timer, type WebhookSender, StorageError } from "../state/ports.ts";
import type { Change } from "../state/records.ts";
import { isRecordEvent, type RecordEvent, timeOf } from "../state/events.ts";

/** An event, and the sandbox time at which it became due. */
export interface TimedEvent {
  readonly atMs: number;
  readonly event: RecordEvent;
}

/** Runs due tasks: as time passes, or while a user moves the time. */
export class ClockDriver {
  readonly #clock: Clock;
  readonly #dueQueue: DueQueue;
  readonly #gateway: Gateway;
  readonly #sender: WebhookSender;
  readonly #timer: Timer;
  #moving: Promise<unknown> = Promise.resolve();
  /** The number of moves that run or wait for their turn. */
  #moves = 0;
  /** Counts replacements: moves that started before a replacement stop at their next step. */
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

  /** Runs overdue tasks, then sets the timer. */
  start(): void {
    this.#dueQueue.onEarlier = () => this.#armAnew();
    this.#ring();
  }

  stop(): void {
    this.#isStopped = true;
    this.#dueQueue.onEarlier = undefined;
    this.#timer.clear();
  }

  /**
   * Moves sandbox time forward, from due time to due time. Each step's attempts end before the next step.
   * @returns the events in order, when all of them have happened.
   */
  advanceTo(targetMs: number): Promise<readonly TimedEvent[]> {
    return this.#inTurn((isOver) => this.#moveTo(targetMs, isOver));
  }

  /** Like {@link moveTo}, by so many milliseconds from the end of earlier moves. */
  advanceBy(stepMs: number): Promise<readonly TimedEvent[]> {
    return this.#inTurn((isOver) => this.#moveTo(this.#clock.nowMs() + stepMs, isOver));
  }

  /** Freezes time at once, also during a move, which goes on to its target. See {@link #switch}. */
  freeze(): Promise<readonly TimedEvent[]> {
    return this.#switch(() => this.#clock.freeze());
  }

  /** Resumes time at once, from where it is frozen. See {@link #switch}. */
  resume(): Promise<readonly TimedEvent[]> {
    return this.#switch(() => this.#clock.resume());
  }

  /**
   * Replaces all records and the clock; for one integration, only its records. Running moves stop early,
   * since their due tasks are gone.
   */
  replace(integration: string | null, makeRows: () => Change): Promise<void> {
    if (integration !== null) return this.#gateway.replace(integration, makeRows);
    this.#replacements++;
    // Drops attempts in flight first, so that a running move does not wait for them.
    if (this.#moves > 0) this.#sender.drop(null);
    return this.#inTurn(async () => {
      await this.#gateway.replace(null, makeRows);
      this.#armAnew();
    });
  }

  /** Resolves when nothing of an integration (`null`: of any) is in flight or due now, and all outcomes are durable. */
  async settle(integration: string | null): Promise<void> {
    do {
      // A running move starts further attempts step by step.
      await this.#moving;
      this.#gateway.catchUp.run();
      await this.#sender.idle(integration);
    } while (
      !this.#isStopped &&
      (this.#moves > 0 || this.#dueQueue.nextDueMs <= this.#clock.nowMs())
    );
    await this.#gateway.read(null, () => undefined);
  }

  #inTurn<Result>(move: (isOver: () => boolean) => Promise<Result>): Promise<Result> {
    this.#moves++;
    const replacements = this.#replacements;
    const isOver = (): boolean => this.#isStopped || this.#replacements !== replacements;
    const moved = this.#moving.then(() => move(isOver)).finally(() => this.#moves--);
    this.#moving = moved.catch(() => undefined);
    return moved;
  }

  /**
   * Changes the clock, then runs the tasks that are due now. Waits only for the attempts that are in flight then: a
   * merchant can respond to each webhook with a call that causes the next one.
   */
  #switch(change: () => void): Promise<readonly TimedEvent[]> {
    return this.#collectEvents(async () => {
      change();
      this.#armAnew();
      await Promise.all([this.#gateway.storeClock(), this.#sender.underWay()]);
      // Other calls may have committed some of what happened while this one waited.
      await this.#gateway.durable();
    });
  }

  #moveTo(targetMs: number, isOver: () => boolean): Promise<readonly TimedEvent[]> {
    return this.#collectEvents(async () => {
      const { catchUp } = this.#gateway;
      const settle = async (): Promise<void> => {
        let started: number;
        do {
          started = catchUp.attemptsStarted;
          await this.#sender.underWay();
          // On a running clock, more tasks can fall due meanwhile, and begin with the next call of the gateway.
        } while (!isOver() && catchUp.attemptsStarted !== started);
      };
      await settle();
      while (!isOver() && this.#dueQueue.nextDueMs <= targetMs) {
        const started = catchUp.attemptsStarted;
        catchUp.runNext();
        if (catchUp.attemptsStarted !== started) await settle();
      }
      await settle();
      if (!isOver()) this.#clock.moveTo(targetMs);
      await this.#gateway.storeClock();
      this.#armAnew();
    });
  }

  /** The changes of records that become durable while `work` runs, by their time. */
  async #collectEvents(work: () => Promise<void>): Promise<readonly TimedEvent[]> {
    const happened: TimedEvent[] = [];
    const stopListening = this.#gateway.events.listen((event) => {
      if (isRecordEvent(event))
        happened.push({ atMs: timeOf(event) ?? this.#clock.nowMs(), event });
    });
    await work().finally(stopListening);
    return happened.toSorted((one, other) => one.atMs - other.atMs);
  }

  #ring(): void {
    try {
      // The rest is still due. The timer fires again at once, and requests get their responses in between.
      this.#gateway.catchUp.run(DUE_AT_ONCE);
      this.#armAnew();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#timer.set(RETRY_MS, () => this.#ring());
    }
  }

  /** Sets the timer for what is due next. */
  #armAnew(): void {
    if (this.#isStopped) return;
    const delayMs = this.#clock.realMsUntil(this.#dueQueue.nextDueMs);
    if (delayMs === Number.POSITIVE_INFINITY) this.#timer.clear();
    else this.#timer.set(delayMs, () => this.#ring());
  }
}

/** The wait before due tasks are tried again after the store refused their changes. */
const RETRY_MS = 1000;
