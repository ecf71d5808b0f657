import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../../src/server/start.ts";
import { type Answer, call, type Json, recordsOf } from "../support/gateway.ts";
import { PAYIN, PAYOUT, advance, createPayout, simulate, times } from "./answers.ts";

describe("an idempotency key", () => {
  it.each([
    ["payins", PAYIN],
    ["payins", { ...PAYIN, generate_qrcode: true }],
    ["payouts", PAYOUT],
  ] as const)("gives a repeat the first answer again: %s %o", async (noun, body) => {
    await using sandbox = await startSandbox();

    const first = await keyed(sandbox, `/v1/${noun}`, "order-1", body);
    const second = await keyed(sandbox, `/v1/${noun}`, "order-1", body);

    expect(first.status).toBe(200);
    expect(first.headers).not.toHaveProperty("idempotent-replayed");
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(await recordsOf(sandbox, "sandbox", noun)).toHaveLength(1);
  });

  it("does not mind the order of members, at any depth, nor blanks", async () => {
    await using sandbox = await startSandbox();
    const body = { ...PAYIN, note: { one: 1, other: [{ a: 1, b: 2 }] } };
    const turned = { note: { other: [{ b: 2, a: 1 }], one: 1 }, ...reversed(PAYIN) };

    const first = await keyed(sandbox, "/v1/payins", "order-1", body);
    const second = await keyed(sandbox, "/v1/payins", "order-1", JSON.stringify(turned, null, 2));

    expect(second.text).toBe(first.text);
    expect(second.headers["idempotent-replayed"]).toBe("true");
  });

  it.each([
    ["payins", PAYIN],
    ["payouts", PAYOUT],
  ] as const)("makes one record of a hundred calls at the same time: %s", async (noun, body) => {
    await using sandbox = await startSandbox();

    const answers = await Promise.all(
      times(100, () => keyed(sandbox, `/v1/${noun}`, "order-1", body)),
    );

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    const repeats = answers.filter(({ headers }) => headers["idempotent-replayed"] === "true");
    expect(repeats).toHaveLength(99);
    const records = await recordsOf(sandbox, "sandbox", noun);
    expect(records).toEqual([expect.objectContaining({ status: "waiting" })]);
  });

  it("gives the first answer again when the record has moved on", async () => {
    await using sandbox = await startSandbox();
    const first = await keyed(sandbox, "/v1/payouts", "order-1", PAYOUT);
    await simulate(sandbox, "payouts", (first.json as Json)["id"], "completed");

    const second = await keyed(sandbox, "/v1/payouts", "order-1", PAYOUT);

    expect(second.text).toBe(first.text);
  });

  it("is another integration's to use", async () => {
    await using sandbox = await startSandbox();

    const one = await keyed(sandbox, "/v1/payins", "order-1", PAYIN, "one");
    const other = await keyed(sandbox, "/v1/payins", "order-1", { ...PAYIN, value: 1 }, "other");

    expect(other.status).toBe(200);
    expect(other.headers).not.toHaveProperty("idempotent-replayed");
    expect((other.json as Json)["id"]).not.toBe((one.json as Json)["id"]);
  });

  it("is not taken by a call that is refused", async () => {
    await using sandbox = await startSandbox();

    const refused = await keyed(sandbox, "/v1/payins", "order-1", { ...PAYIN, value: 0 });
    const corrected = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    expect(refused.status).toBe(400);
    expect(corrected.status).toBe(200);
    expect(corrected.headers).not.toHaveProperty("idempotent-replayed");
  });

  it("is not taken by a payout that the receiver's other payout forbids", async () => {
    await using sandbox = await startSandbox({ assumptions: { "payout.rival": "reject" } });
    const { id } = await createPayout(sandbox, PAYOUT);

    const refused = await keyed(sandbox, "/v1/payouts", "order-2", PAYOUT);
    await simulate(sandbox, "payouts", id, "completed");
    const retried = await keyed(sandbox, "/v1/payouts", "order-2", PAYOUT);

    expect(refused).toMatchObject({ status: 422, json: { code: "NOT_PROCESSABLE" } });
    expect(retried.status).toBe(200);
    expect(retried.headers).not.toHaveProperty("idempotent-replayed");
  });

  it("still repeats the first call after another request was refused under it", async () => {
    await using sandbox = await startSandbox();
    const first = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    const other = await keyed(sandbox, "/v1/payins", "order-1", { ...PAYIN, value: 11 });
    const repeat = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    expect(other.status).toBe(409);
    expect(repeat.text).toBe(first.text);
  });

  it("may be any text", async () => {
    await using sandbox = await startSandbox();
    const keys = ["7".repeat(256), "__proto__", "constructor", "toString", "pedido çã", "a b"];

    const ids = [];
    for (const key of keys) {
      const first = await keyed(sandbox, "/v1/payins", key, PAYIN);
      const second = await keyed(sandbox, "/v1/payins", key, PAYIN);
      expect(second.text).toBe(first.text);
      expect(second.headers["idempotent-replayed"]).toBe("true");
      ids.push((first.json as Json)["id"]);
    }

    expect(new Set(ids).size).toBe(keys.length);
  });

  it("is remembered for a day, and no longer", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    const first = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    await advance(sandbox, 86_399);
    const repeat = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);
    await advance(sandbox, 1);
    const anew = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);
    const again = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    expect(repeat.text).toBe(first.text);
    expect(anew.status).toBe(200);
    expect(anew.headers).not.toHaveProperty("idempotent-replayed");
    expect((anew.json as Json)["id"]).not.toBe((first.json as Json)["id"]);
    expect(again.text).toBe(anew.text);
    expect(await recordsOf(sandbox, "sandbox", "payins")).toHaveLength(2);
  });

  it("is free again for another request after a day", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    await advance(sandbox, 86_400);
    const other = await keyed(sandbox, "/v1/payouts", "order-1", PAYOUT);

    expect(other.status).toBe(200);
    expect(other.headers).not.toHaveProperty("idempotent-replayed");
  });
});

describe("payouts to one receiver", () => {
  it("are one in progress and the others canceled, although all responses are waiting", async () => {
    await using sandbox = await startSandbox({ assumptions: { "webhook.retries": "none" } });

    const answers = await Promise.all(times(100, () => createPayout(sandbox, PAYOUT)));

    expect(answers.map(({ status }) => status)).toEqual(times(100, () => "waiting"));
    const records = await recordsOf(sandbox, "sandbox", "payouts");
    expect(records.map(({ status }) => status)).toEqual([
      "waiting",
      ...times(99, () => "canceled"),
    ]);
    const ids = (rows: readonly Json[]) => rows.map(({ id }) => String(id)).toSorted();
    expect(ids(records)).toEqual(ids(answers));
  });

  it("follow one another when each is settled before the next", async () => {
    await using sandbox = await startSandbox();

    for (const outcome of ["completed", "canceled", "completed"]) {
      const { id } = await createPayout(sandbox, PAYOUT);
      expect(await simulate(sandbox, "payouts", id, outcome)).toMatchObject({ status: 200 });
    }

    const records = await recordsOf(sandbox, "sandbox", "payouts");
    expect(records.map(({ status }) => status)).toEqual(["completed", "canceled", "completed"]);
  });

  it("do not disturb those to others, nor those of another integration", async () => {
    await using sandbox = await startSandbox();
    const other = { ...PAYOUT, receiver_cpf: "11144477735" };

    await createPayout(sandbox, PAYOUT, "one");
    await createPayout(sandbox, other, "one");
    await createPayout(sandbox, PAYOUT, "other");

    const records = await recordsOf(sandbox, undefined, "payouts");
    expect(records.map(({ status }) => status)).toEqual(["waiting", "waiting", "waiting"]);
  });
});

function keyed(
  sandbox: Sandbox,
  path: string,
  key: string,
  body: unknown,
  token = "sandbox",
): Promise<Answer> {
  return call(sandbox, { path, token, headers: { "x-idempotency-key": key }, body });
}

function reversed(members: Json): Json {
  return Object.fromEntries(Object.entries(members).toReversed());
}
