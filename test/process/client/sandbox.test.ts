import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type Duration,
  type Sandbox,
  SandboxClosedError,
  startSandbox,
} from "../../../src/index.ts";
import { Calls } from "../../../src/client/calls.ts";
import { Receivers } from "../../../src/client/receiver.ts";
import { view } from "../../../src/client/view.ts";
import { createFolder } from "../../support/folder.ts";
import { startProgram } from "../../support/process.ts";
import { type Merchant, startMerchant, verified } from "../../support/merchant.ts";

let sandbox: Sandbox;
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant();
  sandbox = await startSandbox({
    seed: "42",
    clock: "frozen",
    now: new Date("2026-11-21T12:00:00Z"),
  });
});
afterEach(async () => {
  merchant.answerWith(200);
  await sandbox.reset();
});
afterAll(async () => {
  await sandbox.close();
  await merchant.close();
});

describe("a sandbox in a test", () => {
  it("runs the contract's example", async () => {
    await using own = await startSandbox({ seed: "42" });
    const shop = own.integration("worker-1");
    const payin = await shop.payins.create({ value: 10.5, webhookUrl: merchant.url });
    expect(payin).toMatchObject({ status: "waiting", value: 10.5, integration: "worker-1" });

    expect(await shop.payins.pay(payin.id)).toMatchObject({ status: "paid" });
    const delivery = await shop.webhooks.waitFor({ type: "payin.paid", transactionId: payin.id });
    const received = merchant.received.findLast(({ body }) => body.includes(payin.id));
    expect(delivery).toMatchObject({ status: "delivered", body: received?.body });
    expect(received && verified(received, own.secret).id).toBe(delivery.id);

    const { now, happened } = await own.clock.advance({ minutes: 5 });
    expect(Date.parse(now)).toBeGreaterThan(Date.parse(payin.createdAt) + 299_000);
    expect(happened).toEqual([]);
    await own.reset();
    expect(await own.payins.list()).toEqual([]);
  });

  it("answers the client under test at its addresses, and as what its headers say", async () => {
    expect(sandbox.baseUrl).toBe(`${sandbox.url}/v1`);
    expect(new URL(sandbox.url).port).toBe(String(sandbox.port));
    const answer = await fetch(`${sandbox.baseUrl}/payins`, {
      method: "POST",
      headers: sandbox.headers("client"),
      body: JSON.stringify({
        value: 25,
        buyer_cpf: "12345678909",
        buyer_name: "Maria da Silva",
        buyer_email: "maria@example.com",
        webhook_url: merchant.url,
      }),
    });
    const { id } = (await answer.json()) as { id: string };
    expect(await sandbox.integration("client").payins.get(id)).toMatchObject({ value: 25 });
    expect(sandbox.headers()["x-idempotency-key"]).not.toBe(sandbox.headers()["x-idempotency-key"]);
  });

  it("calls with a listed credential, if only those are active", async () => {
    const credential = { apiKey: "listed", apiSecret: "secret", merchantId: "42" };
    await using own = await startSandbox({
      assumptions: { credentials: "listed" },
      credentials: [credential],
    });
    expect(await own.integration("listed").payins.create()).toMatchObject({ status: "waiting" });
    const other = own.integration("other").payins.create();
    await expect(other).rejects.toMatchObject({ status: 401, code: "NO_ACTIVE_CREDENTIAL" });
  });

  it("prints no control characters that it received", async () => {
    await expect(sandbox.payins.get("\u001b[2J")).rejects.toThrow(String.raw`id \u001b[2J`);
  });

  it.each([undefined, null, "", "  ", 5])(
    "has no integration with the token %j, which would be everyone",
    (token) => {
      expect(() => sandbox.integration(token as string)).toThrow("A token is a text that is not");
    },
  );

  it.each([undefined, null, "", ".", "..", {}])("has nothing with the id %j", async (id) => {
    const { payins, payouts, webhooks, faults, snapshots } = sandbox;
    const calls = [
      payins.get,
      payins.pay,
      payins.cancel,
      payins.expire,
      payins.simulate,
      payouts.get,
      payouts.complete,
      payouts.cancel,
      webhooks.get,
      webhooks.resend,
      (one: string) => faults.release(one),
      faults.remove,
      sandbox.snapshot,
      sandbox.restore,
      snapshots.delete,
    ];
    for (const call of calls)
      await expect(call(id as string)).rejects.toThrow("An id or a name is a text");
    expect(await snapshots.list()).toEqual([]);
  });
});

describe("a wait in a test", () => {
  it("is over before a test is that has five seconds, as those of vitest and jest", async () => {
    const asked: string[] = [];
    const client = new Calls({
      url: "http://127.0.0.1:9",
      send: (path) => {
        asked.push(path);
        return Promise.resolve(Response.json({}));
      },
      identify: () => ({}),
    });
    await view(client, new Receivers()).webhooks.waitFor({ type: "payin.paid" });
    expect(asked).toEqual(["/_sandbox/wait?type=payin.paid&timeout_ms=4000"]);
  });

  it("for null matches nothing, instead of everything", async () => {
    const { id } = await sandbox.payins.create({ webhookUrl: merchant.url });
    await sandbox.payins.pay(id);
    await sandbox.webhooks.waitFor({ transactionId: id });
    const nothing = { transactionId: null as unknown as string, timeoutMs: 20 };
    await expect(sandbox.webhooks.waitFor(nothing)).rejects.toThrow("No webhook of null was");
    const status = null as unknown as "paid";
    await expect(sandbox.payins.list({ status })).rejects.toMatchObject({ status: 400 });
  });
});

describe("the clock in a test", () => {
  it("moves by the sum of a duration, and returns the events on the way", async () => {
    const { id } = await sandbox.payins.create({ expiration: 60 });
    const { now, mode, happened } = await sandbox.clock.advance({
      minutes: 1,
      seconds: 30,
      milliseconds: 5,
    });
    expect({ now, mode }).toEqual({ now: "2026-11-21T12:01:30.005Z", mode: "frozen" });
    expect(happened).toMatchObject([
      {
        at: "2026-11-21T12:01:00.000Z",
        kind: "payin",
        data: { id, status: "expired", buyerCpf: "12345678909" },
      },
    ]);
    expect(sandbox.clock.nowMs()).toBe(Date.parse(now));
  });

  it("refuses an invalid duration or time", async () => {
    for (const wrong of [60, null, undefined])
      await expect(sandbox.clock.advance(wrong as unknown as Duration)).rejects.toThrow(
        'A duration is an object such as { minutes: 5 }, or a text such as "5m", not',
      );
    await expect(sandbox.clock.advance({ toString: 5 } as object)).rejects.toThrow(
      'Unknown unit "toString"',
    );
    await expect(sandbox.clock.advance("5x")).rejects.toThrow(
      'Invalid duration "5x". Use a number',
    );
    const set = sandbox.clock.set(new Date("tomorrow"));
    await expect(set).rejects.toThrow(RangeError);
  });

  it("refuses an unknown unit", async () => {
    const wrong = { minute: 5 } as object;
    await expect(sandbox.clock.advance(wrong)).rejects.toThrow(
      'Unknown unit "minute". Did you mean "minutes"?',
    );
  });
});

describe("a sandbox that was closed", () => {
  it("refuses every call, and closes once", async () => {
    const own = await startSandbox();
    const shop = own.integration("late");
    await Promise.all([own.close(), own.close()]);
    await own.close();
    await expect(shop.payins.create()).rejects.toThrow(SandboxClosedError);
    await expect(own.clock.advance({ seconds: 1 })).rejects.toThrow(
      "Start another one with startSandbox()",
    );
    await expect(fetch(own.url)).rejects.toThrow("fetch failed");
  });

  it("sends nothing more", async () => {
    await using late = await startMerchant({ answer: 500 });
    const own = await startSandbox({ clock: "frozen" });
    const { id } = await own.payins.create({ webhookUrl: late.url });
    await own.payins.pay(id);
    await own.settled();
    const advancing = own.clock.advance({ days: 1 });
    await own.close();
    await advancing.catch(() => undefined);
    const count = late.received.length;

    // What another one sends there comes after whatever this one would still have sent.
    late.answerWith(200);
    await using other = await startSandbox();
    const next = await other.payins.create({ webhookUrl: late.url });
    await other.payins.pay(next.id);
    await other.webhooks.waitFor({ transactionId: next.id });
    expect(late.received.slice(count).map(({ body }) => body.includes(next.id))).toEqual([true]);
  });

  it("has stored everything that it reported, with a state file", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    const first = await startSandbox({ stateFile });
    const creating = Array.from({ length: 20 }, async () => first.payins.create());
    await creating[0];
    await first.close();
    const settled = await Promise.allSettled(creating);
    const created = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value.id] : []));
    expect(created).not.toEqual([]);

    await using second = await startSandbox({ stateFile });
    const kept = (await second.payins.list()).map(({ id }) => id);
    expect(kept).toEqual(expect.arrayContaining(created));
  });

  it(
    "leaves nothing behind in its process, which ends by itself",
    { timeout: 30_000 },
    async () => {
      await using folder = await createFolder();
      await writeFile(folder.at("program.mjs"), PROGRAM);
      const file = fileURLToPath(new URL("../../../dist/index.js", import.meta.url));
      await using program = startProgram(folder.at("program.mjs"), [file, merchant.url]);
      const { code, stdout, stderr } = await program.ended;
      expect({ code, stderr, left: JSON.parse(stdout) as unknown }).toEqual({
        code: 0,
        stderr: "",
        left: [],
      });
    },
  );
});

/** Uses whatever begins timers or opens sockets, closes, and prints what is still there that was not before. */
const PROGRAM = `
const [file, webhookUrl] = process.argv.slice(2);
const { startSandbox } = await import(file);
// A module of Node's that sends webhooks opens standard error.
await import("node:assert");
const before = process.getActiveResourcesInfo();
const sandbox = await startSandbox();
await fetch(sandbox.url + "/_sandbox/health").then((answer) => answer.text());
const payin = await sandbox.payins.create({ webhookUrl });
await sandbox.payins.pay(payin.id);
await sandbox.webhooks.waitFor({ transactionId: payin.id });
await sandbox.payins.create({ expiration: 172800 });
await sandbox.faults.add({ on: "payouts.create", effect: "hold" });
sandbox.payouts.create().catch(() => undefined);
sandbox.webhooks.waitFor({ type: "payout.completed", timeoutMs: 600000 }).catch(() => undefined);
await sandbox.fetch("/_sandbox/events");
await sandbox.close();
const left = () => {
  const known = [...before];
  return process.getActiveResourcesInfo().filter((one) => {
    const index = known.indexOf(one);
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
};
// The client's own connection notices that it was closed a little later.
while (left().some((one) => one === "TCPSocketWrap")) await new Promise((resolve) => setImmediate(resolve));
console.log(JSON.stringify(left()));
`;
