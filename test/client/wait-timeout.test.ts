import { describe, expect, it } from "vitest";
import { explainWait, type WaitTimeoutError } from "../../src/client/wait-timeout.ts";
import { Calls, SandboxError } from "../../src/client/calls.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const NOT_FOUND = { message: "There is none.", code: "NOT_PROCESSABLE", errors: [] };

interface World {
  readonly seen?: readonly object[];
  readonly pending?: readonly object[];
  readonly mode?: "real" | "frozen";
  /** The responses of other routes, by path. Default: 404. */
  readonly records?: Readonly<Record<string, object>>;
  readonly status?: number;
}

/** Explains a wait for a webhook, of a transaction or of any, in a sandbox with this content. */
function explain(
  transactionId: string | undefined,
  { seen = [], pending = [], mode = "real", records = {}, status = 404 }: World = {},
): Promise<WaitTimeoutError> {
  const answers: Readonly<Record<string, object>> = {
    "/_sandbox/deliveries?status=pending&limit=1000": { data: pending, next: null },
    "/_sandbox/clock": { now: NOW, mode, happened: [] },
    ...records,
  };
  const client = new Calls({
    url: "http://sandbox.test",
    send: (path) => {
      const found = answers[path];
      return Promise.resolve({
        status: found ? 200 : status,
        body: null,
        json: () => Promise.resolve(found ?? NOT_FOUND),
      });
    },
    identify: () => ({}),
  });
  const answer = {
    message: "No payin.paid in time.",
    code: "TIMEOUT",
    errors: [],
    seen,
    seed: "42",
  };
  return explainWait(client, new SandboxError(408, answer as never, ""), transactionId);
}

const due = (members: object = {}): object => ({
  type: "payin.paid",
  transaction_id: "p1",
  attempts: [],
  next_attempt_at: "2026-01-01T12:00:01.000Z",
  url: "http://shop.test/hook",
  ...members,
});

describe("the error of a wait that timed out", () => {
  it("says that there is nothing, with clock and seed", async () => {
    const error = await explain(undefined);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({ name: "WaitTimeoutError", status: 408, seen: [], pending: [] });
    expect(error.message.split("\n")).toEqual([
      "No payin.paid in time.",
      "Nearest webhooks:",
      "  none",
      "Due or in flight:",
      "  none",
      `Clock: ${NOW}, running`,
      "Seed: 42",
    ]);
  });

  it("lists the nearest webhooks with their attempts, and those that are due with their time", async () => {
    const seen = [
      {
        id: "evt_1",
        type: "payin.paid",
        transaction_id: "p1",
        status: "failed",
        attempts: 2,
        last: "500",
      },
      {
        id: "evt_2",
        type: "payout.completed",
        transaction_id: "p2",
        status: "pending",
        attempts: 0,
        last: null,
      },
    ];
    const pending = [
      due(),
      due({ next_attempt_at: NOW, attempts: [{ status: 500 }] }),
      due({ next_attempt_at: null, attempts: [{ status: 500 }, { status: 500 }] }),
    ];
    const error = await explain(undefined, { seen, pending, mode: "frozen" });
    expect(error.message.split("\n").slice(1)).toEqual([
      "Nearest webhooks:",
      "  payin.paid of p1 (evt_1): failed, attempts 2, last 500",
      "  payout.completed of p2 (evt_2): pending, no attempt yet",
      "Due or in flight:",
      "  payin.paid of p1, attempt 1: due at 2026-01-01T12:00:01.000Z, to http://shop.test/hook",
      "  payin.paid of p1, attempt 2: due now or in flight, to http://shop.test/hook",
      "  payin.paid of p1, attempt 3: due now or in flight, to http://shop.test/hook",
      `Clock: ${NOW}, frozen: what is due later waits until it is advanced`,
      "Seed: 42",
    ]);
    expect(error.seen.map(({ transactionId }) => transactionId)).toEqual(["p1", "p2"]);
    expect(error.pending).toHaveLength(3);
  });

  it.each([
    [10, []],
    [12, ["  and 2 more"]],
  ])("lists ten of %i that are due", async (count, more) => {
    const pending = Array.from({ length: count }, () => due());
    const { message } = await explain(undefined, { pending });
    const lines = message.split("\n");
    expect(lines.filter((line) => line.includes("attempt 1: due at"))).toHaveLength(10);
    expect(lines.slice(-2 - more.length, -2)).toEqual(more);
  });

  it.each<[string, World["records"], string]>([
    [
      "a payin that waits, with its expiry",
      {
        "/_sandbox/transactions/a%2Fb": {
          kind: "payin",
          status: "waiting",
          expires_at: "2026-01-01T12:04:00.000Z",
        },
      },
      "Payin a/b is waiting, expires at 2026-01-01T12:04:00.000Z.",
    ],
    [
      "a payin that is paid",
      {
        "/_sandbox/transactions/a%2Fb": {
          kind: "payin",
          status: "paid",
          expires_at: "2026-01-01T12:04:00.000Z",
        },
      },
      "Payin a/b is paid.",
    ],
    [
      "a payout",
      { "/_sandbox/transactions/a%2Fb": { kind: "payout", status: "waiting" } },
      "Payout a/b is waiting.",
    ],
    ["nothing", {}, "There is no payin or payout a/b."],
  ])("describes the transaction: %s", async (_what, records = {}, line) => {
    const { message } = await explain("a/b", { records });
    expect(message.split("\n")[1]).toBe(line);
  });

  it("is the sandbox's own error if the transaction cannot be read", async () => {
    await expect(explain("p1", { status: 500 })).rejects.toMatchObject({
      name: "SandboxError",
      status: 500,
    });
  });
});
