import { behaviorOf } from "../faults/effects.ts";
import type { Delivery } from "./delivery.ts";

/** Which webhooks trade places: one with the fault `reorder` leaves behind the next to its address. */
export class WebhookReorder {
  /** By address, the one that waits for another to go before it. */
  readonly #waiting = new Map<string, string>();
  /** By the one that goes before, the one that goes behind it. */
  readonly #behind = new Map<string, string>();

  /** Forgets all: what is noted next is all that there is. */
  clear(): void {
    this.#waiting.clear();
    this.#behind.clear();
  }

  /** Takes note of a delivery as it now is; new ones come in the order of their events. */
  note(delivery: Delivery): void {
    const { id, fault, attempts, status } = delivery;
    if (!fault && this.#waiting.size === 0) return;
    const address = addressOf(delivery);
    if (attempts.length > 0 || status !== "pending") {
      if (this.#waiting.get(address) === id) this.#waiting.delete(address);
      return;
    }
    const waiting = this.#waiting.get(address);
    if (behaviorOf(fault).leavesBehindNext) this.#waiting.set(address, id);
    else if (waiting !== undefined) {
      this.#waiting.delete(address);
      this.#behind.set(id, waiting);
    }
  }

  /** Whether a webhook to that address has another before which it goes. */
  isAwaited(to: Pick<Delivery, "integration" | "url">): boolean {
    return this.#waiting.has(addressOf(to));
  }

  /** The one that leaves behind this one, which leaves now. */
  takeBehind(id: string): string | undefined {
    const behind = this.#behind.get(id);
    if (behind !== undefined) this.#behind.delete(id);
    return behind;
  }
}

/** Those of one integration trade places among themselves, whoever else sends to the same URL. */
export function addressOf({ integration, url }: Pick<Delivery, "integration" | "url">): string {
  return `${integration}\n${url}`;
}
