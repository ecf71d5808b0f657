import { DUE_AT_ONCE } from "./due-tasks.ts";
import type { Gateway } from "./gateway.ts";
import { type Timer, type WebhookSender, StorageError } from "../state/ports.ts";
import type { Change } from "../state/records.ts";
import { type RecordEvent, timeOf } from "../state/events.ts";

/** A change of records, and the sandbox time at which it became due. */
export interface TimedEvent {
  readonly atMs: number;
  readonly event: RecordEvent;
}

/** The wait before due tasks are tried again after the store refused their changes. */
const RETRY_MS = 1000;

/** Runs due tasks: as time passes, or while a user moves the time. */
export class ClockDriver {
  readonly #gateway: Gateway;
  readonly #sender: WebhookSender;
  readonly #timer: Timer;
  /** The last move of the clock; undefined if none runs or waits for its turn. */
  #moving: Promise<unknown> | undefined;
  /** Counts replacements: moves that started before a replacement stop at their next step. */
  #replacements = 0;
  #isStopped = false;

  constructor(gateway: Gateway, sender: WebhookSender, timer: Timer) {
    this.#gateway = gateway;
    this.#sender = sender;
    this.#timer = timer;
  }

  /** Runs overdue tasks, then sets the timer. */
  start(): void {
    this.#gateway.due.onEarlier = () => this.#arm();
    this.#ring();
  }

  stop(): void {
    this.#isStopped = true;
    this.#gateway.due.onEarlier = undefined;
    this.#timer.clear();
  }

  /**
   * Moves sandbox time forward, from due time to due time. Each step's attempts end before the next step.
   * @param targetOf the target, given the time at which earlier moves have ended
   */
  advance(targetOf: (nowMs: number) => number): Promise<readonly TimedEvent[]> {
    const [gateway, sender] = [this.#gateway, this.#sender];
    const { clock, due } = gateway;
    const move = async (isOver: () => boolean): Promise<void> => {
      const targetMs = targetOf(clock.nowMs());
      for (;;) {
        let started: number;
        do {
          ({ started } = due);
          await sender.underWay();
          // On a running clock, more tasks can fall due meanwhile, and begin with the next call of the gateway.
        } while (!isOver() && due.started !== started);
        if (isOver() || due.nextMs > targetMs) break;
        clock.moveTo(due.nextMs);
        due.run();
      }
      if (!isOver()) clock.moveTo(targetMs);
      await gateway.storeClock();
      this.#arm();
    };
    return this.#inTurn((isOver) => this.#eventsOf(() => move(isOver)));
  }

  /**
   * Freezes or resumes time at once, also during a move, which goes on to its target. Waits only for the attempts that
   * are in flight then: a merchant can respond to each webhook with a call that causes the next one.
   */
  turn(to: "freeze" | "resume"): Promise<readonly TimedEvent[]> {
    const gateway = this.#gateway;
    return this.#eventsOf(async () => {
      gateway.clock[to]();
      this.#arm();
      await Promise.all([gateway.storeClock(), this.#sender.underWay()]);
      // Other calls may have committed some of what happened while this one waited.
      await gateway.durable();
    });
  }

  /** Replaces all records and the clock; for one integration, only its records. Running moves stop early. */
  replace(integration: string | null, makeRows: () => Change): Promise<void> {
    if (integration !== null) return this.#gateway.replace(integration, makeRows);
    this.#replacements++;
    // Drops attempts in flight first, so that a running move does not wait for them.
    if (this.#moving) this.#sender.drop(null);
    return this.#inTurn(async () => {
      await this.#gateway.replace(null, makeRows);
      this.#arm();
    });
  }

  /** Resolves when nothing of an integration (`null`: of any) is in flight or due now, and all outcomes are durable. */
  async settle(integration: string | null): Promise<void> {
    const { clock, due } = this.#gateway;
    do {
      // A running move starts further attempts step by step.
      await this.#moving;
      due.run();
      await this.#sender.idle(integration);
    } while (!this.#isStopped && (this.#moving || due.nextMs <= clock.nowMs()));
    await this.#gateway.read(null, () => undefined);
  }

  #inTurn<Result>(move: (isOver: () => boolean) => Promise<Result>): Promise<Result> {
    const replacements = this.#replacements;
    const isOver = (): boolean => this.#isStopped || this.#replacements !== replacements;
    const moved = Promise.resolve(this.#moving).then(() => move(isOver));
    const end = (): void => {
      if (this.#moving === ended) this.#moving = undefined;
    };
    const ended = moved.then(end, end);
    this.#moving = ended;
    return moved;
  }

  /** The changes of records that become durable while `work` runs, by their time. */
  async #eventsOf(work: () => Promise<void>): Promise<readonly TimedEvent[]> {
    const { clock, events } = this.#gateway;
    const happened: TimedEvent[] = [];
    const stopListening = events.listen((event) => {
      if ("toWire" in event) return;
      const atMs = timeOf(event, clock.nowMs());
      if (atMs !== undefined) happened.push({ atMs, event });
    });
    await work().finally(stopListening);
    return happened.toSorted((one, other) => one.atMs - other.atMs);
  }

  #ring(): void {
    try {
      // The rest is still due. The timer fires again at once, and requests get their responses in between.
      this.#gateway.due.run(DUE_AT_ONCE);
      this.#arm();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#timer.set(RETRY_MS, () => this.#ring());
    }
  }

  /** Sets the timer for what is due next. */
  #arm(): void {
    const { clock, due } = this.#gateway;
    if (this.#isStopped) return;
    const waitMs = Math.max(0, due.nextMs - clock.nowMs());
    const isNever = waitMs === Number.POSITIVE_INFINITY || (waitMs > 0 && clock.mode === "frozen");
    if (isNever) this.#timer.clear();
    else this.#timer.set(waitMs, () => this.#ring());
  }
}
