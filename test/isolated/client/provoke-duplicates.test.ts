import { beforeEach, describe, expect, it, vi } from "vitest";
import { provokeDuplicates } from "../../../src/client/provoke-duplicates.ts";
import { LocalizedError } from "../../../src/core/records/errors.ts";
import { inWords, wordsOf } from "../../support/words.ts";
import { say } from "../../../src/text/message.ts";

const paused = vi.hoisted(() => [] as number[]);
vi.mock("../../../src/platform/pause.ts", () => ({
  pause: async (ms: number) => void paused.push(ms),
}));

beforeEach(() => {
  paused.length = 0;
});

interface Sent {
  readonly id: string;
  readonly type?: string;
  readonly url?: string;
  readonly minute?: number;
}

/** Provokes a sandbox with some deliveries, whose effect is read one value after the other. */
async function provoke(
  deliveries: readonly Sent[],
  effects: readonly unknown[],
  { attempt = { status: 200 }, command }: { attempt?: object; command?: string } = {},
) {
  const calls: string[] = [];
  const left = [...effects];
  const control = (method: string, path: string): Promise<unknown> => {
    calls.push(`${method} ${path}`);
    if (path.startsWith("/deliveries?")) {
      const type = new URLSearchParams(path.split("?")[1]).get("type");
      const data = deliveries
        .filter((one) => (one.type ?? "payin.paid") === type)
        .map(({ id, url = "http://127.0.0.1/hook", minute = 0 }) => ({
          id,
          type,
          url,
          transaction_id: `of ${id}`,
          created_at: `2026-11-21T12:0${minute}:00.000Z`,
        }));
      return Promise.resolve({ data, next: null });
    }
    if (path.endsWith("/resend")) return Promise.resolve({ attempts: [{ status: 500 }, attempt] });
    if (path === "/clock") return Promise.resolve({ now: "2026-11-21T12:00:00.000Z" });
    return Promise.resolve({ path });
  };
  const observed = await provokeDuplicates({ control } as never, {
    read: () => {
      const next = left.length > 1 ? left.shift() : left[0];
      if (next instanceof Error) throw next;
      return next;
    },
    ...(command !== undefined && { commandFor: () => command }),
  });
  return { calls, duplicates: observed.get("duplicate_acts_twice"), observed };
}

describe("webhooks that are sent again on purpose", () => {
  it("are the newest charge, payout and charge that a merchant has accepted", async () => {
    const payout = "payout.completed";
    const { calls } = await provoke(
      [
        { id: "sink", minute: 9, url: "http://127.0.0.1:7490/_sandbox/sink/a" },
        { id: "a", minute: 3 },
        { id: "b", minute: 2 },
        { id: "c", minute: 1 },
        ...["d", "e", "f"].map((id) => ({ id, minute: 4, type: payout })),
      ],
      ["same"],
    );
    expect(calls.slice(0, 2)).toEqual([
      "GET /deliveries?type=payin.paid&status=delivered&order=desc&limit=100",
      "GET /deliveries?type=payout.completed&status=delivered&order=desc&limit=100",
    ]);
    expect(calls.slice(2)).toEqual([
      "GET /payins/of a",
      "POST /deliveries/a/resend",
      "GET /payouts/of d",
      "POST /deliveries/d/resend",
      "GET /payins/of b",
      "POST /deliveries/b/resend",
    ]);
  });

  it("show nothing if there are none, and never how two new ones at once are handled", async () => {
    const { duplicates, observed } = await provoke([], []);
    expect(duplicates).toMatchObject({ isKept: false, broken: [] });
    expect(wordsOf(duplicates?.unseen)).toMatch(/^The merchant accepted no payin\.paid /);
    expect(observed.get("concurrent_duplicates_act_twice")).toMatchObject({
      isKept: false,
      broken: [],
      unseen: inWords({ en: expect.stringContaining("only a new one can show a race") as string }),
    });
  });

  it("keep the rule if the effect stays, also a moment later", async () => {
    const { duplicates } = await provoke([{ id: "a" }], ["same"]);
    expect(duplicates).toMatchObject({ isKept: true, broken: [] });
    expect(paused).toEqual([500]);
  });

  it.each([
    [{ status: 300 }, "the status 300"],
    [{ status: 199 }, "the status 199"],
    [{ error: "ECONNRESET" }, "no response"],
  ])("show nothing if the merchant answers with %o", async (attempt, en) => {
    const { duplicates } = await provoke([{ id: "a" }], ["same"], { attempt });
    expect(duplicates).toEqual({
      isKept: false,
      broken: [],
      unseen: inWords({
        en: `a was sent again, but the merchant did not accept it (${en}).`,
      }),
    });
  });

  it.each([
    ["at once", ["1", "1", "2"], [1100]],
    ["a moment later", ["1", "1", "1", "2"], [500, 1100]],
  ])("break the rule if the effect changes %s", async (_title, effects, pauses) => {
    const { duplicates } = await provoke([{ id: "a" }], effects);
    expect(duplicates).toMatchObject({
      isKept: false,
      broken: [
        {
          atMs: Date.parse("2026-11-21T12:00:00.000Z"),
          text: inWords({
            en: 'a (payin.paid) was sent again: the effect of of a changed from "1" to "2".',
          }),
          deliveryId: "a",
          transactionId: "of a",
          command: "npx pix-sandbox webhooks resend a",
        },
      ],
    });
    expect(paused).toEqual(pauses);
  });

  it.each([
    ["before", ["1", "2"]],
    ["afterwards", ["1", "1", "2", "3"]],
  ])("show nothing if the effect changes by itself %s", async (_title, effects) => {
    const { duplicates } = await provoke([{ id: "a" }], effects);
    expect(duplicates).toEqual({
      isKept: false,
      broken: [],
      unseen: inWords({ en: expect.stringContaining("changes by itself") }),
    });
  });

  it("show nothing if the effect cannot be judged; any other error is the caller's", async () => {
    const text = say`No order.`;
    const { duplicates } = await provoke([{ id: "a" }], [new LocalizedError(text)]);
    expect(duplicates).toEqual({ isKept: false, broken: [], unseen: text });
    await expect(provoke([{ id: "a" }], [new Error("the database is gone")])).rejects.toThrow(
      "the database is gone",
    );
  });

  it("are judged together: one that keeps the rule is enough, each that breaks it counts", async () => {
    const { duplicates } = await provoke(
      [{ id: "a", minute: 1 }, { id: "b" }],
      ["1", "1", "2", "2", "3"],
    );
    expect(duplicates).toMatchObject({ isKept: true, broken: [{ deliveryId: "a" }] });
  });

  it("are evidence with the command that reads the effect", async () => {
    const { duplicates } = await provoke([{ id: "a" }], ["1", "1", "2"], { command: "cat books" });
    expect(duplicates?.broken[0]?.command).toBe(
      "cat books; npx pix-sandbox webhooks resend a; cat books",
    );
  });

  const A = "a".repeat(60);
  it.each<[unknown, unknown, string, string]>([
    [{ of: 1 }, { of: 2n }, '"{"of":1}"', '"{"of":"2"}"'],
    [new Map([["a", 1]]), new Set([1]), '"[["a",1]]"', '"[1]"'],
    [undefined, null, '"undefined"', '"null"'],
    [A, A.slice(1), `"${A}"`, `"${A.slice(1)}"`],
    [`${A}1`, `${A}2`, `"…${"a".repeat(20)}1"`, `"…${"a".repeat(20)}2"`],
    [`1${A}`, `2${A}`, `"1${A.slice(1)}…"`, `"2${A.slice(1)}…"`],
  ])("show where the effects %o and %o differ", async (before, after, one, other) => {
    const { duplicates } = await provoke([{ id: "a" }], [before, before, after]);
    expect(wordsOf(duplicates?.broken[0]?.text)).toBe(
      `a (payin.paid) was sent again: the effect of of a changed from ${one} to ${other}.`,
    );
  });
});
