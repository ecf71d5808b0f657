import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../src/core/records/delivery.ts";
import { Records, putsOf } from "../../../src/core/state/records.ts";
import { View } from "../../../src/core/state/view.ts";
import { delivery, randomFrom } from "../../support/core.ts";

const TYPES = ["payin.paid", "payout.completed", "payout.canceled"] as const;
const STATUSES = ["pending", "delivered", "failed"] as const;
const TRANSACTIONS = ["one", "two", "three"];

describe("the deliveries that an integration sees, for each filter", () => {
  it.each([51, 52, 53])("is what it is of all of them, and its own (seed %i)", (seed) => {
    const random = randomFrom(seed);
    const pick = <Value>(values: readonly Value[]): Value =>
      values[Math.floor(random() * values.length)] as Value;
    const all = Array.from({ length: 200 }, (_, index) =>
      delivery({
        id: `evt_${index}`,
        integration: pick(["shop", "other", "__proto__"]),
        type: pick(TYPES),
        status: pick(STATUSES),
        transactionId: pick(TRANSACTIONS),
      }),
    );
    const records = new Records();
    records.apply(putsOf({ deliveries: all }));
    for (let look = 0; look < 100; look++) {
      const integration = pick(["shop", "other", "__proto__", "nobody", null]);
      const wanted = {
        ...(random() < 0.5 && { type: pick(TYPES) }),
        ...(random() < 0.5 && { status: pick(STATUSES) }),
        ...(random() < 0.5 && { transactionId: pick(TRANSACTIONS) }),
        ...(random() < 0.1 && { id: pick(all).id }),
      };
      const isWanted = (one: Delivery): boolean =>
        Object.entries(wanted).every(([name, value]) => Reflect.get(one, name) === value);
      const expected = all.filter(
        (one) => (integration === null || one.integration === integration) && isWanted(one),
      );
      const view = new View(records, integration);
      expect(view.all("deliveries").filter(isWanted)).toEqual(expected);
      expect(view.all("deliveries").findLast(isWanted)).toEqual(expected.at(-1));
      expect(view.page("deliveries", { limit: 7 }, isWanted)?.rows).toEqual(expected.slice(0, 7));
      const [first] = expected;
      if (first)
        expect(view.page("deliveries", { limit: 1000, after: first.id }, isWanted)?.rows).toEqual(
          expected.slice(1),
        );
      for (const one of all.slice(0, 10)) {
        const isOwn = integration === null || one.integration === integration;
        expect(view.find("deliveries", one.id)).toEqual(isOwn ? one : undefined);
        // As a place in a list, another's does not exist either.
        const after = view.page(
          "deliveries",
          { limit: 10, after: one.id },
          (each) => each.id === one.id,
        );
        expect(after?.rows).toEqual(isOwn ? [] : undefined);
      }
    }
  });
});
