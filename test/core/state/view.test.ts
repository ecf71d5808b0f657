import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../src/core/records/delivery.ts";
import { Records, putsOf } from "../../../src/core/state/records.ts";
import { isWanted, View } from "../../../src/core/state/view.ts";
import { delivery, randomFrom } from "../../support/core.ts";

const TYPES = ["payin.paid", "payout.completed", "payout.canceled"] as const;
const STATUSES = ["pending", "delivered", "failed"] as const;
const TRANSACTIONS = ["one", "two", "three"];

describe("the newest delivery", () => {
  const records = recordsOf(
    delivery({ id: "evt_a", type: "payin.paid", transactionId: "one" }),
    delivery({ id: "evt_b", type: "payout.canceled", transactionId: "two", status: "failed" }),
    delivery({ id: "evt_c", type: "payin.paid", transactionId: "three", integration: "other" }),
  );

  it.each([
    [{}, "evt_c", "evt_b", "evt_c"],
    [{ type: "payin.paid" }, "evt_c", "evt_a", "evt_c"],
    [{ type: "payout.canceled" }, "evt_b", "evt_b", undefined],
    [{ transactionId: "one" }, "evt_a", "evt_a", undefined],
    [{ status: "failed" }, "evt_b", "evt_b", undefined],
    [{ id: "evt_c" }, "evt_c", undefined, "evt_c"],
    [{ type: "payin.paid", transactionId: "two" }, undefined, undefined, undefined],
    [{ type: "payout.completed" }, undefined, undefined, undefined],
  ] as const)("of those that are %o is the integration's own", (wanted, all, shop, other) => {
    const newest = (integration: string | null): string | undefined =>
      new View(records, integration).newestDelivery(wanted)?.id;

    expect([newest(null), newest("shop"), newest("other")]).toEqual([all, shop, other]);
    expect(newest("nobody")).toBeUndefined();
  });
});

describe("a place in a list", () => {
  it("is one of the integration's own: another's is no place, as if it were not there", () => {
    const records = recordsOf(
      delivery({ id: "evt_a", integration: "shop" }),
      delivery({ id: "evt_b", integration: "other" }),
    );
    const after = (integration: string | null, id: string) =>
      new View(records, integration).deliveries({ limit: 10, after: id });

    expect(after("shop", "evt_b")).toBeUndefined();
    expect(after("shop", "evt_none")).toBeUndefined();
    expect(after("shop", "evt_a")?.rows).toEqual([]);
    expect(after(null, "evt_a")?.rows).toHaveLength(1);
  });
});

describe("the nearest deliveries", () => {
  it("are those of the transaction, then those of the type, then the others, the newest first", () => {
    const records = recordsOf(
      delivery({ id: "neither 1", type: "payin.expired", transactionId: "another" }),
      delivery({ id: "type 1", type: "payin.paid", transactionId: "another" }),
      delivery({ id: "transaction 1", type: "payin.expired", transactionId: "one" }),
      delivery({ id: "both 1", type: "payin.paid", transactionId: "one" }),
      delivery({ id: "neither 2", type: "payin.expired", transactionId: "another" }),
      delivery({ id: "transaction 2", type: "payin.expired", transactionId: "one" }),
      delivery({ id: "type 2", type: "payin.paid", transactionId: "another" }),
      delivery({ id: "both 2", type: "payin.paid", transactionId: "one" }),
    );
    const nearest = (limit: number): string[] =>
      new View(records, null)
        .nearestDeliveries({ type: "payin.paid", transactionId: "one" }, limit)
        .map(({ id }) => id);

    expect(nearest(100)).toEqual([
      "both 2",
      "both 1",
      "transaction 2",
      "transaction 1",
      "type 2",
      "type 1",
      "neither 2",
      "neither 1",
    ]);
    expect(nearest(3)).toEqual(["both 2", "both 1", "transaction 2"]);
    expect(nearest(0)).toEqual([]);
  });

  it("are the newest without a filter", () => {
    const records = recordsOf(delivery({ id: "evt_a" }), delivery({ id: "evt_b" }));

    expect(new View(records, null).nearestDeliveries({}, 1)).toMatchObject([{ id: "evt_b" }]);
  });

  it("are never another integration's, however near", () => {
    const records = recordsOf(
      delivery({ id: "evt_theirs", type: "payin.paid", integration: "other" }),
      delivery({ id: "evt_mine", type: "payout.canceled" }),
    );

    expect(new View(records, "shop").nearestDeliveries({ type: "payin.paid" }, 10)).toMatchObject([
      { id: "evt_mine" },
    ]);
  });
});

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
    const records = recordsOf(...all);
    for (let look = 0; look < 100; look++) {
      const integration = pick(["shop", "other", "__proto__", "nobody", null]);
      const wanted = {
        ...(random() < 0.5 && { type: pick(TYPES) }),
        ...(random() < 0.5 && { status: pick(STATUSES) }),
        ...(random() < 0.5 && { transactionId: pick(TRANSACTIONS) }),
        ...(random() < 0.1 && { id: pick(all).id }),
      };
      const expected = all.filter(
        (one) =>
          (integration === null || one.integration === integration) &&
          Object.entries(wanted).every(([name, value]) => Reflect.get(one, name) === value),
      );
      const view = new View(records, integration);
      expect(view.allDeliveries(wanted)).toEqual(expected);
      expect(view.newestDelivery(wanted)).toEqual(expected.at(-1));
      const isOne = (one: Delivery): boolean => isWanted(one, wanted);
      expect(view.deliveries({ limit: 7 }, isOne)?.rows).toEqual(expected.slice(0, 7));
      const [first] = expected;
      if (first)
        expect(view.deliveries({ limit: 1000, after: first.id }, isOne)?.rows).toEqual(
          expected.slice(1),
        );
      for (const one of all.slice(0, 10)) {
        const isOwn = integration === null || one.integration === integration;
        expect(view.delivery(one.id)).toEqual(isOwn ? one : undefined);
      }
    }
  });
});

function recordsOf(...deliveries: Parameters<typeof delivery>[0][]): Records {
  const records = new Records();
  records.apply(putsOf({ deliveries: deliveries.map((members) => delivery(members)) }));
  return records;
}
