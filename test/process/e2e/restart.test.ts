import { readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { runMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant, verified } from "../../support/merchant.ts";

const NOON = "2026-11-21T12:00:00.000Z";
const frozenAt = (time: string): string[] => ["--clock", "frozen", "--now", time];

/** A state in which a delivery and a payin are not all that they should be. */
const LACKING = JSON.stringify({
  format: "pix-sandbox",
  version: 1,
  lastEventNumber: 2,
  payins: [{ id: "payin-1", integration: "shop", status: "waiting" }],
  payouts: [],
  deliveries: [{ id: "evt_1", integration: "shop", status: "pending", body: "{}" }],
  keys: [],
  webhookConfigurations: [],
  changedAssumptions: [],
  identity: { seed: "42", secret: "whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0" },
});

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

describe("the place of a sandbox's state", { timeout: 60_000 }, () => {
  it("is nowhere with --memory", async () => {
    await using folder = await createFolder();
    await using sandbox = await serveMain(["--memory"], { cwd: folder.path });
    await callsTo(sandbox.url).createPayin({ webhook_url: "http://127.0.0.1:9/hook" });
    expect(sandbox.ready.state_file).toBeNull();
    await sandbox.stop();

    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe("a state file that cannot be read", { timeout: 60_000 }, () => {
  it.each([
    ["is no JSON", "Dear diary,\n"],
    ["is somebody else's JSON", '{"name":"my-app","version":"1.0.0"}'],
    ["lacks members of its records", LACKING],
    ["holds no text", Buffer.from([0x00, 0xff, 0xfe, 0x80])],
  ])("stops the start with 9 and stays as it is where it %s", async (_title, content) => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    await writeFile(file, content);
    const { code, stdout, stderr } = await runMain(["serve", "--port", "0", "--state", file]);

    expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
    expect(stderr).toContain(file);
    expect(stderr).toMatch(/^error: .+\.\n?/);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(await readFile(file)).toEqual(Buffer.from(content));
    expect(await readdir(folder.path)).toEqual(["state.json"]);
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
