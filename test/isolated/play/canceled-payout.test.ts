import { expect, it, vi } from "vitest";
import { canceledPayout } from "../../../src/play/check-webhook/canceled-payout.ts";
import type { Trial } from "../../../src/play/check-webhook/trial.ts";
import { english } from "../../../src/text/languages.ts";
import { say } from "../../../src/text/message.ts";

vi.mock(import("../../../src/platform/pause.ts"), async (original) => ({
  ...(await original()),
  pause: async () => undefined,
}));

interface Shown {
  readonly one: string;
  readonly two: string;
}

/** What the effects of two open payouts show: at first, after the first is completed, after the second is canceled. */
async function judge(shown: readonly [Shown, Shown, Shown], replacement?: string) {
  const payout = (id: string, value: number, status: string) => ({
    id,
    value,
    status,
    receiver_cpf: "52998224725",
    webhook_url: "http://localhost:3000/hook",
    created_at: "2026-11-26T10:00:00.000Z",
  });
  const payouts = [payout("one", 20, "waiting"), payout("two", 30, "waiting")];
  let step = 0;
  const shop = {
    options: {
      client: { as: () => ({ call: async () => ({ data: [...payouts] }) }) },
      handler: { url: "http://localhost:3000/hook" },
    },
    example: {
      record: { integration: "shop" },
      before: "waiting 0",
      after: "paid 1",
    },
    startedAtMs: Date.parse("2026-11-26T10:00:01.000Z"),
    effectOf: async ({ id }: { id: "one" | "two" }) => shown[step]?.[id],
    settle: async (_payout: unknown, action: string) => {
      step += 1;
      if (action !== "cancel") return;
      payouts[1] = payout("two", 30, "canceled");
      if (replacement !== undefined) payouts.push(payout(replacement, 30, "completed"));
    },
    describeMove: () => say`It changed.`,
  };
  const steps = canceledPayout.run({ shop, command: "" } as unknown as Trial);
  for (;;) {
    const { done = false, value } = await steps.next();
    if (done) return value && english("rule" in value ? value.text : value);
  }
}

const WAITING = { one: "waiting 0", two: "waiting 0" };
const FIRST = { one: "paid 20", two: "waiting 0" };

it("sees a canceled payout that looks completed", async () => {
  expect(await judge([WAITING, FIRST, { one: "paid 20", two: "paid 30" }])).toBe(
    "Payout two was canceled, and looks like one, which was completed. It changed.",
  );
});

it("has nothing to say of a canceled one that looks otherwise, or that another one has replaced", async () => {
  expect(await judge([WAITING, FIRST, { one: "paid 20", two: "canceled 0" }])).toBeUndefined();
  expect(await judge([WAITING, FIRST, FIRST])).toBeUndefined();
  expect(
    await judge([WAITING, FIRST, { one: "paid 20", two: "paid 30" }], "three"),
  ).toBeUndefined();
});

it("sees payouts that look paid while they wait, and when one is canceled", async () => {
  const paid = { one: "paid 20", two: "paid 30" };
  expect(await judge([paid, paid, paid])).toMatch(/^Payout two was canceled. It looks paid as one/);
  expect(await judge([paid, paid, { ...paid, two: "canceled 0" }])).toBeUndefined();
  const other = { one: "sent 20", two: "sent 30" };
  await expect(judge([other, other, other])).rejects.toThrow("The effect does not show");
});

it.each([
  ["shows both payouts at one place", { one: "paid 20", two: "paid 20" }],
  ["does not change", WAITING],
  ["changes in no word", { one: "waiting 1", two: "waiting 0" }],
])("judges nothing by an effect that %s", async (_what, first) => {
  await expect(judge([WAITING, first, first])).rejects.toThrow("The effect does not show");
});

it("judges nothing by an effect that tells only whether a payout is in progress", async () => {
  const open = { one: "in_progress true", two: "in_progress true" };
  const first = { ...open, one: "in_progress false" };
  const both = { one: "in_progress false", two: "in_progress false" };
  await expect(judge([open, first, both])).rejects.toThrow("The effect does not show");
});
