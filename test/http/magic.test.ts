import { describe, expect, it } from "vitest";
import { hasCpfCheckDigits } from "../../src/core/records/checks.ts";
import { MAGIC } from "../../src/core/faults/magic.ts";
import { startSandbox } from "../../src/server/start.ts";
import { createFolder } from "../support/folder.ts";
import { type Answer, control, type Json, recordsOf } from "../support/gateway.ts";
import {
  add,
  advance,
  createPayin,
  createPayout,
  idOf,
  merchant,
  replaceSandbox,
  sandbox,
  send,
  suffered,
  token,
  useFaults,
} from "./faults.ts";

/** The choice under which the fewest CPFs are valid. */
const STRICT = { "cpf.check": "check_digits" } as const;

useFaults({ magic: true, assumptions: STRICT });

/** Where a value means something. */
const PLACES = {
  buyer_cpf: ["payins", (cpf: string) => ({ buyer_cpf: cpf })],
  receiver_cpf: ["payouts", (cpf: string) => ({ receiver_cpf: cpf })],
  pix_key: ["payouts", (cpf: string) => ({ pix_key: cpf, pix_key_type: "cpf" })],
} as const;

const cpfOf = (wanted: string): string => MAGIC.find(({ name }) => name === wanted)?.cpf ?? "";

const create = (noun: "payins" | "payouts", members: Json, key = "order-1"): Promise<Answer> =>
  (noun === "payins" ? createPayin : createPayout)({ members, key });

describe.each(Object.entries(PLACES))("a magic value as %s", (_place, [noun, membersOf]) => {
  const records = () => recordsOf(sandbox, token, noun);
  const magic = (name: string) => create(noun, membersOf(cpfOf(name)));

  it.each([
    ["rejected", 422, "NOT_PROCESSABLE"],
    ["provider_down", 502, "EXTERNAL_ERROR"],
  ] as const)("refuses the call, which uses no key: %s", async (name, status, code) => {
    const refused = await magic(name);
    const message = expect.stringContaining(`means ${name}`) as string;
    expect(refused).toMatchObject({ status, headers: { "x-sandbox-magic": name } });
    expect(refused.json).toEqual({ code, message, errors: [] });
    expect(await records()).toEqual([]);
    const ordinary = await create(noun, {});
    expect(ordinary.status).toBe(200);
    expect(ordinary.headers).not.toHaveProperty("x-sandbox-magic");
  });

  it("lets the call wait for three seconds", async () => {
    const slow = magic("slow");
    await suffered.until(1);
    // Without a wait of its own, the test ends the call's.
    await control(sandbox, token, "POST /reset");
    expect(await slow).toMatchObject({ status: 502, headers: { "x-sandbox-magic": "slow" } });
    expect(MAGIC.find(({ name }) => name === "slow")?.effect).toBe("latency_ms=3000");
  });

  it("loses the response", async () => {
    await expect(magic("lost_answer")).rejects.toMatchObject({ code: "ECONNRESET" });
    const made = await records();
    expect(made).toMatchObject([{ status: "waiting" }]);
    const retry = await magic("lost_answer");
    expect(retry).toMatchObject({ status: 200, json: { id: made[0]?.["id"] } });
    expect(retry.headers).toMatchObject({ "idempotent-replayed": "true" });
    expect(retry.headers).not.toHaveProperty("x-sandbox-magic");
  });

  it("cancels the record after five seconds", async () => {
    const events = ["payment.received", "payment.failed"];
    await send("/v1/webhooks", { webhook_url: merchant.url, events }, { method: "PUT" });
    const expiring = noun === "payins" ? { expiration: 20 } : {};
    const created = await create(noun, { ...membersOf(cpfOf("canceled_later")), ...expiring });
    expect(created.headers["x-sandbox-magic"]).toBe("canceled_later");
    const id = idOf(created);
    expect((await advance(4.999))["happened"]).toEqual([]);
    await advance(3600); // What it would have come to otherwise is over.
    const canceled = { id, status: "canceled", settled_at: "2026-11-21T12:00:05.000Z" };
    expect(await records()).toMatchObject([canceled]);
    const sent = merchant.received.map(({ body }) => JSON.parse(body) as Json);
    const types = noun === "payins" ? ["payment.failed"] : ["payout.canceled", "payment.failed"];
    expect(sent).toMatchObject(types.map((type) => ({ type, data: { id, status: "canceled" } })));
  });

  it("means nothing without --magic", async () => {
    await sandbox.close();
    const assumptions = { ...STRICT, "payout.rival": "allow" } as const;
    replaceSandbox(await startSandbox({ clock: "frozen", assumptions }));
    for (const { cpf, name } of MAGIC) {
      const { status, headers } = await create(noun, membersOf(cpf), name);
      expect(status).toBe(200);
      expect(headers).not.toHaveProperty("x-sandbox-magic");
    }
    await advance(10);
    expect(await records()).toMatchObject(MAGIC.map(() => ({ status: "waiting" })));
  });
});

describe("a magic value", () => {
  it("is a valid CPF that hardly belongs to a person, and has one meaning", () => {
    expect(new Set(MAGIC.map(({ cpf }) => cpf)).size).toBe(MAGIC.length);
    for (const { cpf } of MAGIC) {
      expect(hasCpfCheckDigits(cpf)).toBe(true);
      expect(cpf).toMatch(/^00000000/);
    }
  });

  it("gives way to the call's header and to a stored fault; receiver_cpf comes before pix_key", async () => {
    const members = { receiver_cpf: cpfOf("rejected") };
    const magicOf = ({ headers }: Answer) => headers["x-sandbox-magic"];
    const requested = await createPayout({ members, fault: "error=DUPLICATED_VALUE" });
    expect([requested.status, magicOf(requested)]).toEqual([409, undefined]);
    await add({ on: "payouts.create", effect: "latency_ms=1", times: 1 });
    const late = await createPayout({ members });
    expect([late.status, magicOf(late)]).toEqual([200, undefined]);
    const key = { pix_key: cpfOf("rejected"), pix_key_type: "cpf" };
    const both = await createPayout({ members: { ...key, receiver_cpf: cpfOf("provider_down") } });
    expect(magicOf(both)).toBe("provider_down");
    // The fault of a webhook is beside it.
    const later = { receiver_cpf: cpfOf("canceled_later") };
    const faulty = await createPayout({ members: later, fault: "drop_attempts=1" });
    expect([faulty.status, magicOf(faulty)]).toEqual([200, "canceled_later"]);
  });

  it("has no effect if its key was used before, or if the call is invalid", async () => {
    await create("payins", {});
    const members = { buyer_cpf: cpfOf("rejected") };
    expect((await create("payins", members)).status).toBe(409);
    expect((await create("payins", { ...members, value: -1 })).status).toBe(400);
  });
});

describe("a record that is canceled later", () => {
  const members = { receiver_cpf: cpfOf("canceled_later") };

  it.each([
    [3, "completed"],
    [7, "canceled"],
  ])("is not canceled if it is final by then: after %i s", async (seconds, status) => {
    const auto = `complete_after:${seconds}`;
    await control(sandbox, token, "PATCH /assumptions", { "payout.auto": auto });
    await createPayout({ members });
    await advance(10);
    expect(await recordsOf(sandbox, token, "payouts")).toMatchObject([{ status }]);
  });

  it("is canceled after a restart, and after a restore of a snapshot in which it waits", async () => {
    await using folder = await createFolder();
    const options = { stateFile: folder.at("state.json"), clock: "frozen" } as const;
    await sandbox.close();
    replaceSandbox(await startSandbox({ ...options, magic: true }));
    await createPayout({ members });
    await control(sandbox, undefined, "PUT /snapshots/waiting");
    await sandbox.close();
    replaceSandbox(await startSandbox(options));
    for (let times = 0; times < 2; times++) {
      await advance(5);
      const payouts = await recordsOf(sandbox, token, "payouts");
      expect(payouts).toMatchObject([{ status: "canceled" }]);
      await control(sandbox, undefined, "POST /snapshots/waiting/restore");
    }
    await sandbox.close();
  });
});
