import { behaviorOf } from "../faults/effects.ts";
import type { Delivery } from "../records/delivery.ts";

/** Pairs webhooks for the fault `reorder`: a webhook with it leaves after the next one to the same address. */
export class WebhookReorder {
  /** By address: the webhook that waits for the next one. */
  readonly #waiting = new Map<string, string>();
  /** By the id of a webhook: the one that leaves directly after it. */
  readonly #behind = new Map<string, string>();

  /** Drops all pairs, before all deliveries are noted again. */
  clear(): void {
    this.#waiting.clear();
    this.#behind.clear();
  }

  /** Notes the current state of a delivery; new deliveries must come in the order of their events. */
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

  /** Whether a reordered webhook waits for the next one to this address. */
  isAwaited(to: Pick<Delivery, "integration" | "url">): boolean {
    return this.#waiting.has(addressOf(to));
  }

  /** Takes the id of the webhook that leaves directly after this one, if any. */
  takeBehind(id: string): string | undefined {
    const behind = this.#behind.get(id);
    if (behind !== undefined) this.#behind.delete(id);
    return behind;
  }
}

/** Identifies an address: the same URL of two integrations is two addresses. */
export function addressOf({ integration, url }: Pick<Delivery, "integration" | "url">): string {
  return `${integration}\n${url}`;
}
