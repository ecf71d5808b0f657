import { type Delivery } from "../../../src/core/records/delivery.ts";
import { attempt, delivery } from "../../support/core.ts";

export const SHOPS = ["shop", "other", "__proto__"];

export const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

export function finished(id: string): Delivery {
  return delivery({ id, status: "delivered", attempts: [attempt()], nextAttemptAtMs: null });
}

export function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
