import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import {
  createClient,
  type EventType,
  type Receiver,
  ReceiverTimeoutError,
  type Sandbox,
  startSandbox,
} from "../../src/index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "frozen" });
});
afterAll(() => sandbox.close());

const pay = async (hook: Receiver, description = "order"): Promise<string> => {
  const { id } = await sandbox.payins.create({ webhookUrl: hook.url, description });
  await sandbox.payins.pay(id);
  return id;
};
const cancelPayout = async (hook: Receiver): Promise<string> => {
  const { id } = await sandbox.payouts.create({ webhookUrl: hook.url });
  await sandbox.payouts.cancel(id);
  return id;
};

describe("a receiver", () => {
  it("refuses an unknown type at once, as waitFor does", async () => {
    await using hook = await sandbox.receiver();
    const unknown = "payin.payd" as EventType;
    const types =
      "payin.paid, payin.expired, payout.completed, payout.canceled, payment.received, payment.failed";
    const end = `takes one of ${types}, not "payin.payd". Did you mean "payin.paid"?`;
    await expect(hook.next(unknown)).rejects.toThrow(new TypeError(`next() ${end}`));
    const waiting = sandbox.webhooks.waitFor({ type: unknown });
    await expect(waiting).rejects.toThrow(new TypeError(`waitFor() ${end}`));
    await expect(hook.next(7 as unknown as EventType)).rejects.toThrow(
      `next() takes one of ${types}, not 7.`,
    );
  });

  it("returns a webhook that it has verified, with its body, raw body and headers", async () => {
    await using hook = await sandbox.receiver();
    const id = await pay(hook, "café");
    const webhook = await hook.next("payin.paid");
    expect(webhook).toMatchObject({
      type: "payin.paid",
      transactionId: id,
      isVerified: true,
      problem: null,
      body: { type: "payin.paid", data: { id, status: "paid", description: "café" } },
    });
    expect(webhook.id).toBe(webhook.headers["webhook-id"]);
    expect(JSON.parse(webhook.rawBody)).toEqual(webhook.body);
    expect(new Webhook(sandbox.secret).verify(webhook.rawBody, webhook.headers)).toEqual(
      webhook.body,
    );
    expect(hook.received).toEqual([webhook]);
  });

  it("returns each webhook once, in order of arrival and by type", async () => {
    await using hook = await sandbox.receiver();
    const first = await pay(hook);
    const second = await pay(hook);
    const canceled = await cancelPayout(hook);
    await sandbox.settled();
    expect((await hook.next("payout.canceled")).transactionId).toBe(canceled);
    expect((await hook.next()).transactionId).toBe(first);
    const late = [hook.next(), hook.next("payin.paid")];
    const third = await pay(hook);
    expect((await Promise.all(late)).map((one) => one.transactionId)).toEqual([second, third]);
    expect(hook.received).toHaveLength(4);
  });

  it.each([[99], [600], ["500"], [200.5], []])("refuses to respond with %j", async (...wrong) => {
    await using hook = await sandbox.receiver();
    expect(() => (hook.respond as (...given: unknown[]) => void)(...wrong)).toThrow(
      "respond() takes HTTP statuses from 200 to 599",
    );
  });

  it("reports a signature that is not valid", async () => {
    await using hook = await sandbox.receiver();
    await sandbox.faults.once("webhook", "bad_signature");
    await pay(hook);
    expect(await hook.next()).toMatchObject({
      isVerified: false,
      problem: expect.stringMatching(/signature/i),
    });
  });

  it("says after its time limit what arrived instead", async () => {
    await using hook = await sandbox.receiver();
    await expect(hook.next("payin.paid", { timeoutMs: 1 })).rejects.toThrow(
      "No payin.paid arrived within 0.001 s.\nNothing arrived.",
    );
    const paid = await pay(hook);
    const canceled = await cancelPayout(hook);
    await sandbox.settled();
    await hook.next("payin.paid");
    const error = await hook.next("payin.paid", { timeoutMs: 1 }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ReceiverTimeoutError);
    const { message, received } = error as ReceiverTimeoutError;
    expect(received).toHaveLength(2);
    const [first, second] = received;
    expect(message.split("\n")).toEqual([
      "No payin.paid arrived within 0.001 s.",
      "Arrived so far:",
      `  payin.paid of ${paid} (${first?.id}), verified, already returned`,
      `  payout.canceled of ${canceled} (${second?.id}), verified`,
    ]);
    for (let count = 0; count < 11; count++) await fetch(hook.url, { method: "POST", body: "x" });
    await expect(hook.next("payin.paid", { timeoutMs: 1 })).rejects.toThrow(
      /Arrived so far:\n {2}3 earlier ones\n {2}a body without a type of - \(no id\), not valid: /,
    );
  });

  it("verifies with the secret of the integration", async () => {
    const credentials = [{ apiKey: "shop", apiSecret: "open sesame", merchantId: "42" }];
    await using own = await startSandbox({ credentials, assumptions: { credentials: "listed" } });
    const shop = own.integration("shop");
    const hook = await shop.receiver();
    const { id } = await shop.payins.create({ webhookUrl: hook.url });
    await shop.payins.pay(id);
    expect(await hook.next()).toMatchObject({ transactionId: id, isVerified: true });
  });

  it("closes with its sandbox, and ends the calls that wait", async () => {
    const own = await startSandbox();
    const hook = await own.integration("shop").receiver();
    const waiting = hook.next();
    waiting.catch(() => undefined);
    expect(own.close()).toBe(own.close());
    await own.close();
    await expect(waiting).rejects.toThrow("The receiver is closed.");
    await expect(fetch(hook.url, { method: "POST" })).rejects.toThrow(TypeError);
    await hook.close();
  });

  it("ends a call after it has closed at once", async () => {
    const hook = await sandbox.receiver();
    await hook.close();
    const timeoutMs = 3_600_000;
    await expect(hook.next("payin.paid", { timeoutMs })).rejects.toThrow("The receiver is closed.");
  });

  it("works for a sandbox of another process", async () => {
    const client = createClient({ baseUrl: sandbox.url, headers: { "x-api-token": "shop" } });
    await using hook = await client.receiver();
    const { id } = await client.payins.create({ webhookUrl: hook.url });
    await client.payins.pay(id);
    expect(await hook.next()).toMatchObject({ transactionId: id, isVerified: true });
  });
});
