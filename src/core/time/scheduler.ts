import type { DueQueue } from "./due-queue.ts";
import type { Delivery } from "../webhooks/delivery.ts";
import type { Payin } from "../payments/payin.ts";
import type { Payout } from "../payments/payout.ts";
import type { Change, Records } from "../state/records.ts";
import type { WebhookReorder } from "../webhooks/reorder.ts";

/** When what is on the due queue falls due: payins expire, payouts complete, either is canceled, attempts of deliveries begin. */
export class Scheduler {
  readonly #dueQueue: DueQueue;
  readonly #records: Records;
  readonly #reorder: WebhookReorder;
  readonly #startDelivery: (delivery: Delivery) => void;

  constructor(parts: {
    dueQueue: DueQueue;
    records: Records;
    reorder: WebhookReorder;
    startDelivery: (delivery: Delivery) => void;
  }) {
    this.#dueQueue = parts.dueQueue;
    this.#records = parts.records;
    this.#reorder = parts.reorder;
    this.#startDelivery = parts.startDelivery;
  }

  /** Puts on the due queue what the records say, in place of what was there: entries of what is gone would pile up. */
  scheduleAnew(): void {
    this.#dueQueue.clear();
    this.#reorder.clear();
    this.schedule({
      payins: this.#records.payins.all(),
      payouts: this.#records.payouts.all(),
      deliveries: this.#records.deliveries.all(),
    });
  }

  schedule({ payins = [], payouts = [], deliveries = [] }: Change): void {
    for (const payin of payins) this.add(payin);
    for (const payout of payouts) this.add(payout);
    for (const delivery of deliveries) {
      this.#reorder.note(delivery);
      if (delivery.nextAttemptAtMs !== null)
        this.#dueQueue.add(delivery.nextAttemptAtMs, delivery.id);
    }
  }

  add(record: Payin | Payout): void {
    const dueMs = dueMsOf(record);
    if (dueMs < Number.POSITIVE_INFINITY) this.#dueQueue.add(dueMs, record.id);
  }

  /** When the next falls due; infinite where nothing does. */
  get nextDueMs(): number {
    return this.#dueQueue.nextDueMs;
  }

  /** Takes the next off the due queue, due by `nowMs`; undefined where it has come to pass in another way. */
  take(nowMs: number): Payin | Payout | Delivery | undefined {
    const id = this.#dueQueue.takeDue(nowMs) ?? "";
    const record = this.#records.payins.get(id) ?? this.#records.payouts.get(id);
    if (record) return dueMsOf(record) <= nowMs ? record : undefined;
    const delivery = this.#records.deliveries.get(id);
    const dueMs = delivery?.nextAttemptAtMs ?? Number.POSITIVE_INFINITY;
    return dueMs <= nowMs ? delivery : undefined;
  }

  /** Puts a delivery that was taken back on the due queue. */
  putBack({ id, nextAttemptAtMs }: Delivery): void {
    if (nextAttemptAtMs !== null) this.#dueQueue.add(nextAttemptAtMs, id);
  }

  /** Begins the next attempt of a delivery. Whoever traded places with it leaves right behind it. */
  start(delivery: Delivery): void {
    this.#startDelivery(delivery);
    const behind = this.#records.deliveries.get(this.#reorder.takeBehind(delivery.id) ?? "");
    if (behind?.attempts.length === 0) this.#startDelivery(behind);
  }
}

/** When a record reaches a final status by itself; infinite where it does not, or has one. */
export function dueMsOf(record: Payin | Payout): number {
  if (record.status !== "waiting") return Number.POSITIVE_INFINITY;
  const dueMs = "expiresAtMs" in record ? record.expiresAtMs : record.completesAtMs;
  const { cancelsAtMs = Number.POSITIVE_INFINITY } = record;
  return Math.min(dueMs ?? Number.POSITIVE_INFINITY, cancelsAtMs);
}

/** Whether it is canceled when it falls due, not expired or completed. */
export function isCanceledWhenDue(record: Payin | Payout): boolean {
  return record.cancelsAtMs !== undefined && record.cancelsAtMs === dueMsOf(record);
}
