import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant, verified } from "../../support/merchant.ts";

const NOON = "2026-11-21T12:00:00.000Z";
const frozenAt = (time: string): string[] => ["--clock", "frozen", "--now", time];

describe("a sandbox that is started again on its state file", { timeout: 60_000 }, () => {
  it("has the same records", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const webhook_url = merchant.url;
    await using first = await startServe(["--state", folder.at("state.json")]);
    const calls = callsTo(first.url);
    const { body: payin } = await calls.createPayin({ webhook_url, description: "Pedido nº 1 🛒" });
    const { body: payout } = await calls.createPayout({ webhook_url });
    await calls.createPayout({ webhook_url });
    await calls.simulate("payin", payin.id);
    await calls.simulate("payout", payout.id);
    await merchant.waitFor(3);
    await calls.advance(0);
    const before = await readAll(first.url);
    expect(before.map(({ data }) => data.length)).toEqual([1, 2, 3]);
    expect(await first.stop()).toMatchObject({ code: 0, stderr: "" });

    await using second = await startServe(["--state", folder.at("state.json")]);
    expect(await readAll(second.url)).toEqual(before);
    await callsTo(second.url).advance(60);
    expect(merchant.received).toHaveLength(3);
  });

  it("answers a repeat of an earlier key as it did then", async () => {
    await using folder = await createFolder();
    const webhook_url = "http://127.0.0.1:9/hook";
    await using first = await serveMain(["--state", folder.at("state.json")]);
    const payin = await callsTo(first.url).createPayin({ webhook_url }, "key-1");
    const payout = await callsTo(first.url).createPayout({ webhook_url }, "key-2");
    expect([payin.status, payin.headers.get("idempotent-replayed")]).toEqual([200, null]);
    await first.stop();

    await using second = await serveMain(["--state", folder.at("state.json")]);
    const calls = callsTo(second.url);
    const repeats = [
      await calls.createPayin({ webhook_url }, "key-1"),
      await calls.createPayout({ webhook_url }, "key-2"),
    ];
    expect(repeats.map(({ body }) => body)).toEqual([payin.body, payout.body]);
    for (const { headers } of repeats) expect(headers.get("idempotent-replayed")).toBe("true");
    const other = await calls.createPayin({ webhook_url, value: 11 }, "key-1");
    expect(other).toMatchObject({ status: 409, body: { code: "DUPLICATED_VALUE" } });
    const elsewhere = await callsTo(second.url, "another").createPayin({ webhook_url }, "key-1");
    expect(elsewhere.headers.get("idempotent-replayed")).toBeNull();
  });

  it("still notifies the configured webhook", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const configuration = { webhook_url: merchant.at("/all"), events: ["payment.received"] };
    await using first = await serveMain(["--state", folder.at("state.json")]);
    await callsTo(first.url).gateway("PUT", "/v1/webhooks", configuration);
    await first.stop();

    await using second = await serveMain(["--state", folder.at("state.json")]);
    const calls = callsTo(second.url);
    expect((await calls.gateway("GET", "/v1/webhooks")).body).toEqual(configuration);
    const { body: payin } = await calls.createPayin({ webhook_url: merchant.at("/own") });
    await calls.simulate("payin", payin.id);
    const webhooks = await merchant.waitFor(2);
    expect(webhooks.map(({ path }) => path).toSorted()).toEqual(["/all", "/own"]);
  });

  it("has let a payin expire whose time came while it was stopped", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const state = ["--state", folder.at("state.json"), "--assume", "payin.expiry_event=webhook"];
    await using first = await serveMain([...state, ...frozenAt(NOON)]);
    const { body } = await callsTo(first.url).createPayin({
      webhook_url: merchant.url,
      expiration: 20,
    });
    await first.stop();
    expect(merchant.received).toEqual([]);

    // Nothing asks it anything: the webhook tells that it happened by itself.
    await using second = await serveMain([...state, ...frozenAt("2026-11-21T12:00:20.000Z")]);
    const [webhook] = await merchant.waitFor(1);
    expect(webhook && verified(webhook, second.secret)).toMatchObject({
      type: "payin.expired",
      data: { id: body.id, status: "expired", settled_at: "2026-11-21T12:00:20.000Z" },
    });
    expect(await callsTo(second.url).simulate("payin", body.id)).toMatchObject({
      status: 422,
      body: { code: "NOT_PROCESSABLE" },
    });
  });
});

describe("a webhook that was not delivered before the sandbox stopped", { timeout: 60_000 }, () => {
  it("is delivered after the restart, with the same id and the same body", async () => {
    await using folder = await createFolder();
    const state = ["--state", folder.at("state.json"), "--clock", "frozen"];
    const absent = await startMerchant();
    await absent.close();
    await using first = await serveMain(state);
    const calls = callsTo(first.url);
    const { body: payin } = await calls.createPayin({ webhook_url: absent.url });
    await calls.simulate("payin", payin.id);
    await calls.advance(0);
    const [before] = await calls.deliveries();
    expect(before).toMatchObject({ status: "pending", attempts: [{ error: /ECONNREFUSED/ }] });
    await first.stop();

    await using merchant = await startMerchant({ port: absent.port });
    await using second = await serveMain(state);
    await callsTo(second.url).advance(1);
    const [webhook] = await merchant.waitFor(1);
    expect(webhook?.headers["webhook-id"]).toBe(before?.id);
    expect(webhook?.body).toBe(before?.body);
    expect(webhook && verified(webhook, first.secret).type).toBe("payin.paid");
    const [after] = await callsTo(second.url).deliveries();
    expect(after).toMatchObject({ status: "delivered", attempts: [{}, { status: 200 }] });
  });

  it("is delivered after a crash in the middle of its first attempt", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant({ answer: "hold" });
    await using first = await startServe(["--state", folder.at("state.json")]);
    const { body: payin } = await callsTo(first.url).createPayin({ webhook_url: merchant.url });
    await callsTo(first.url).simulate("payin", payin.id);
    await merchant.waitFor(1);
    expect((await first.stop("SIGKILL")).signal).toBe("SIGKILL");

    merchant.answerWith(200);
    await using second = await startServe(["--state", folder.at("state.json")]);
    const [cutShort, delivered] = await merchant.waitFor(2);
    expect(delivered?.body).toBe(cutShort?.body);
    expect(delivered?.headers["webhook-id"]).toBe(cutShort?.headers["webhook-id"]);
    expect(delivered && verified(delivered, second.secret).data["id"]).toBe(payin.id);
    await callsTo(second.url).advance(0);
    const [delivery] = await callsTo(second.url).deliveries();
    expect(delivery).toMatchObject({ status: "delivered", attempts: [{ status: 200 }] });
  });
});

interface Page {
  readonly data: readonly Shown[];
}

function readAll(url: string): Promise<readonly Page[]> {
  const { control } = callsTo(url);
  return Promise.all(
    ["/payins", "/payouts", "/deliveries"].map((path) => control<Page>("GET", path)),
  );
}
