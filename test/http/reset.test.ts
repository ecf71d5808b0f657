import { BUYER, RECEIVER } from "../support/calls.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { createFolder } from "../support/folder.ts";
import { call, control, type Json, recordsOf } from "../support/gateway.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";

const NOW = "2026-11-21T12:00:00.000Z";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe("a reset", { timeout: 60_000 }, () => {
  it("takes back all but secret, event numbers and snapshots, and the clock to its start", async () => {
    const { sandbox } = await setUp();
    await control(sandbox, "shop", "PUT /snapshots/before");
    await createPayin(sandbox, "shop", "order-1");
    await createPayout(sandbox, "shop");
    await configureWebhook(sandbox, "shop");
    await control(sandbox, "shop", "PATCH /assumptions", { "payout.rival": "reject" });
    await control(sandbox, undefined, "POST /clock/advance", { seconds: 60 });
    const { secret } = await control(sandbox, undefined, "GET /secret");

    const answer = await control(sandbox, undefined, "POST /reset");
    expect(answer).toEqual({ reset: true, integration: null, now: NOW, mode: "frozen" });
    expect(await recordsOf(sandbox, undefined, "payins")).toEqual([]);
    expect(await recordsOf(sandbox, undefined, "payouts")).toEqual([]);
    expect(await control(sandbox, undefined, "GET /deliveries")).toMatchObject({ data: [] });
    expect(
      (await call(sandbox, { method: "GET", path: "/v1/webhooks", token: "shop" })).status,
    ).toBe(404);
    expect(await choiceOf(sandbox, "shop", "payout.rival")).toBe("cancel");
    expect(await control(sandbox, undefined, "GET /secret")).toMatchObject({ secret });
    expect(await control(sandbox, "shop", "GET /snapshots")).toMatchObject({
      data: [{ name: "before", integration: "shop" }],
    });
    // The key is free.
    await createPayin(sandbox, "shop", "order-1", { value: 99 });
  });

  it("lets nothing old be sent once it has answered: 200 webhooks in flight, in line and due again", async () => {
    const { sandbox, merchant } = await setUp();
    // Every other address fails at once, so that its retries are due; the others never answer.
    merchant.answerWith(({ path }) => (path.endsWith("busy") ? 503 : "hold"));
    for (let index = 0; index < 200; index++) {
      const webhook_url = merchant.at(index % 2 === 0 ? `/${index % 10}/busy` : `/${index % 10}`);
      const id = await createPayin(sandbox, "shop", undefined, { webhook_url });
      await control(sandbox, "shop", `POST /payins/${id}/pay`);
    }
    await merchant.waitFor(20);
    await control(sandbox, "shop", "POST /reset");
    merchant.answerWith(200);
    // What had left by then lies at the merchant's door; it opens to whoever came before this one first.
    await fetch(merchant.url, { method: "POST", body: "{}" });
    const count = merchant.received.length;

    // Everything that could still come, comes with the time and ahead of a webhook of the new world.
    await control(sandbox, undefined, "POST /clock/advance", { seconds: 3600 });
    const payout = await createPayout(sandbox, "shop", { webhook_url: merchant.url });
    await control(sandbox, "shop", `POST /payouts/${payout}/complete`);
    await merchant.waitFor(1, ({ body }) => body.includes("payout.completed"));
    expect(merchant.received.slice(count).map(({ body }) => JSON.parse(body).type)).toEqual([
      "payout.completed",
    ]);
    const { data } = await control(sandbox, undefined, "GET /deliveries");
    expect(data).toMatchObject([{ type: "payout.completed", status: "delivered" }]);
  });

  it.each(["shop", undefined])(
    "of %s aborts attempts in flight: a webhook that comes with the same id afterwards has its own",
    async (token) => {
      const { sandbox, merchant } = await setUp({ seed: "42" });
      merchant.answerWith((_, index) => (index === 0 ? "hold" : 204));
      const payOne = async (): Promise<void> => {
        const id = await createPayin(sandbox, "shop");
        await control(sandbox, "shop", `POST /payins/${id}/pay`);
      };
      await payOne();
      await merchant.waitFor(1);
      await control(sandbox, token, "POST /reset");
      await payOne();
      await control(sandbox, undefined, "POST /settle");

      const [old, fresh] = merchant.received.map(({ headers }) => headers["webhook-id"]);
      expect(fresh).toBe(old);
      const { data } = await control(sandbox, undefined, "GET /deliveries");
      const [{ attempts }] = data as [{ attempts: Json[] }];
      expect(attempts.map(({ status }) => status)).toEqual([204]);
    },
  );

  it("of one integration leaves the other's records, attempts in flight and snapshots alone", async () => {
    const { sandbox, merchant } = await setUp();
    let letGo = (): void => undefined;
    const released = new Promise<void>((resolve) => (letGo = resolve));
    merchant.answerWith(async () => {
      await released;
      return 200;
    });
    for (const token of ["shop", "other"]) {
      await control(sandbox, token, "PUT /snapshots/empty");
      const id = await createPayin(sandbox, token, undefined, {
        webhook_url: merchant.at(`/${token}`),
      });
      await control(sandbox, token, `POST /payins/${id}/pay`);
    }
    await merchant.waitFor(2);
    const before = await recordsOf(sandbox, "other", "payins");
    await control(sandbox, "shop", "POST /reset");
    letGo();
    await control(sandbox, undefined, "POST /settle");

    expect(await recordsOf(sandbox, undefined, "payins")).toEqual(before);
    expect(await control(sandbox, undefined, "GET /deliveries")).toMatchObject({
      data: [{ integration: "other", status: "delivered", attempts: [{ status: 200 }] }],
    });
    expect(await control(sandbox, undefined, "GET /snapshots")).toMatchObject({
      data: [{ integration: "other" }, { integration: "shop" }],
    });
  });

  it("cuts an advance of the clock short that waits for a silent merchant", async () => {
    const { sandbox, merchant } = await setUp();
    merchant.answerWith("hold");
    const id = await createPayin(sandbox, "shop");
    await control(sandbox, "shop", `POST /payins/${id}/pay`);
    await merchant.waitFor(1);
    const advance = control(sandbox, undefined, "POST /clock/advance", { seconds: 86_400 });
    const reset = await control(sandbox, undefined, "POST /reset");
    await advance;
    expect(reset).toMatchObject({ now: NOW });
    expect(await control(sandbox, undefined, "GET /clock")).toMatchObject({ now: NOW });
  });
});

describe("a snapshot", { timeout: 60_000 }, () => {
  it("restores everything several times, and pending deliveries continue from there", async () => {
    const { sandbox, merchant } = await setUp();
    merchant.answerWith(503);
    const payin = await createPayin(sandbox, "shop", "order-1", { expiration: 60 });
    const paid = await createPayin(sandbox, "shop");
    await createPayout(sandbox, "shop");
    await configureWebhook(sandbox, "shop");
    await control(sandbox, "shop", "PATCH /assumptions", { "payin.expiry_event": "webhook" });
    await control(sandbox, "shop", `POST /payins/${paid}/pay`);
    await control(sandbox, undefined, "POST /clock/advance", { seconds: 2 });
    const before = await worldOf(sandbox);
    const taken = await control(sandbox, undefined, "PUT /snapshots/pending");
    expect(taken).toEqual({
      name: "pending",
      integration: null,
      taken_at: "2026-11-21T12:00:02.000Z",
      payins: 2,
      payouts: 1,
      deliveries: 2,
    });

    for (const change of ["reset", "go on", "reset"]) {
      if (change === "reset") await control(sandbox, undefined, "POST /reset");
      else await control(sandbox, undefined, "POST /clock/advance", { seconds: 7200 });
      const restored = await control(sandbox, undefined, "POST /snapshots/pending/restore");
      expect(restored).toEqual(taken);
      expect(await worldOf(sandbox)).toEqual(before);
    }
    merchant.answerWith(200);
    const { happened } = await control(sandbox, undefined, "POST /clock/advance", { seconds: 60 });
    const told = (happened as { kind: string; data: Record<string, string> }[]).map(
      ({ kind, data }) => (kind === "attempt" ? `${data["type"]} ${data["status"]}` : kind),
    );
    expect(told.toSorted()).toEqual([
      "delivery",
      "delivery",
      "payin",
      "payin.expired delivered",
      "payin.paid delivered",
      "payment.failed delivered",
      "payment.received delivered",
    ]);
    const repeat = await create(sandbox, "/v1/payins", "shop", "order-1", {
      ...PAYIN,
      webhook_url: merchant.url,
      expiration: 60,
    });
    expect(repeat).toBe(payin);
  });

  it.each([
    ["shop", "in memory"],
    [undefined, "in memory"],
    ["shop", "beside a state file"],
    [undefined, "beside a state file"],
  ])("of %s, %s, counts faults that were gone when it was taken", async (token, where) => {
    await using folder = await createFolder();
    const stateFile = where === "in memory" ? undefined : join(folder.path, "state.json");
    const { sandbox } = await setUp({ seed: "42", stateFile });
    const addFault = async () =>
      (await control(sandbox, token, "POST /faults", { on: "webhook", effect: "early" }))["id"];
    const gone = await addFault();
    await control(sandbox, token, "DELETE /faults");
    await control(sandbox, token, "PUT /snapshots/before");
    const first = await addFault();
    expect(first).not.toBe(gone);
    await control(sandbox, token, "POST /snapshots/before/restore");
    expect(await addFault()).toBe(first);
    await sandbox.close();

    if (stateFile === undefined) return;
    const { sandbox: next } = await setUp({ seed: "42", stateFile });
    const { data } = await control(next, token, "GET /faults");
    expect(data).toMatchObject([{ id: first }]);
    await control(next, token, "POST /snapshots/before/restore");
    const again = await control(next, token, "POST /faults", { on: "webhook", effect: "early" });
    expect(again["id"]).toBe(first);
  });

  it("belongs to its integration: by another token, and without one, it is not there", async () => {
    const { sandbox } = await setUp();
    await control(sandbox, "shop", "PUT /snapshots/mine");
    await control(sandbox, undefined, "PUT /snapshots/all");
    for (const [token, name] of [
      ["other", "mine"],
      [undefined, "mine"],
      ["shop", "all"],
      ["shop", "never"],
      ["shop", ".."],
      ["shop", "%2e%2e%2fstate.json"],
      ["shop", "Mine"],
    ] as const) {
      const request = { path: `/_sandbox/snapshots/${name}`, headers: { "x-api-token": token } };
      const restored = await call(sandbox, { ...request, path: `${request.path}/restore` });
      const deleted = await call(sandbox, { ...request, method: "DELETE" });
      expect([name, restored.status, deleted.status]).toEqual([name, 404, 404]);
    }
    expect(await control(sandbox, "shop", "GET /snapshots")).toMatchObject({
      data: [{ name: "mine" }],
    });
    expect(await control(sandbox, undefined, "GET /snapshots")).toMatchObject({
      data: [{ name: "all" }, { name: "mine" }],
    });
  });

  it("of one name is another one for each integration, and leaves the others alone", async () => {
    const { sandbox } = await setUp();
    for (const token of ["shop", "other"]) {
      await createPayin(sandbox, token);
      await control(sandbox, token, "PUT /snapshots/base");
      await createPayin(sandbox, token);
    }
    await control(sandbox, "shop", "POST /snapshots/base/restore");
    expect(await recordsOf(sandbox, "shop", "payins")).toHaveLength(1);
    expect(await recordsOf(sandbox, "other", "payins")).toHaveLength(2);
    await control(sandbox, "shop", "DELETE /snapshots/base");
    await control(sandbox, "other", "POST /snapshots/base/restore");
    expect(await recordsOf(sandbox, "other", "payins")).toHaveLength(1);
  });

  it("whose file is damaged is refused by its name, with nothing changed", async () => {
    await using folder = await createFolder();
    const stateFile = join(folder.path, "state.json");
    const { sandbox } = await setUp({ stateFile });
    await createPayin(sandbox, "shop");
    await control(sandbox, undefined, "PUT /snapshots/paid");
    await writeFile(`${stateFile}.paid.snapshot`, "Dear diary\n");
    await mkdir(`${stateFile}.taken.snapshot`);

    for (const [method, route, status, name] of [
      ["POST", "paid/restore", 422, "paid"],
      ["PUT", "taken", 503, "taken"],
    ] as const) {
      const answer = await fetch(`${sandbox.url}/_sandbox/snapshots/${route}`, { method });
      expect(answer.status).toBe(status);
      const { message } = (await answer.json()) as { message: string };
      expect(message).toContain(`state.json.${name}.snapshot`);
    }
    expect(await recordsOf(sandbox, "shop", "payins")).toHaveLength(1);
    await sandbox.close();
  });

  it.each(["a", "0", "a.b_c-d", "a".repeat(64)])("can be called %j", async (name) => {
    const { sandbox } = await setUp();
    expect(await control(sandbox, "shop", `PUT /snapshots/${name}`)).toMatchObject({ name });
  });

  it.each(["A", ".a", "-a", "a b", "a/b", "a@b", "á", "a".repeat(65)])(
    "cannot be called %j",
    async (name) => {
      const { sandbox } = await setUp();
      const path = `/_sandbox/snapshots/${encodeURIComponent(name)}`;
      const { status, json } = await call(sandbox, { method: "PUT", path });
      expect({ status, json }).toMatchObject({
        status: 400,
        json: { errors: [{ field: "name" }] },
      });
    },
  );
});

const PAYIN = { ...BUYER, webhook_url: "http://127.0.0.1:9/hook" };
const PAYOUT = { ...RECEIVER, webhook_url: "http://127.0.0.1:9/hook" };

async function setUp(
  options: SandboxOptions = {},
): Promise<{ sandbox: Sandbox; merchant: Merchant }> {
  const merchant = await startMerchant();
  const sandbox = await startSandbox({ clock: "frozen", now: new Date(NOW), ...options });
  closing.push(
    () => sandbox.close(),
    () => merchant.close(),
  );
  merchants.set(sandbox, merchant);
  return { sandbox, merchant };
}

const merchants = new WeakMap<Sandbox, Merchant>();

async function create(
  sandbox: Sandbox,
  path: string,
  token: string,
  key: string | undefined,
  body: Json,
): Promise<string> {
  const headers = { ...(key !== undefined && { "x-idempotency-key": key }) };
  const answer = await call(sandbox, { path, token, headers, body });
  expect(answer).toMatchObject({ status: 200 });
  return (answer.json as { id: string }).id;
}

function createPayin(
  sandbox: Sandbox,
  token: string,
  key?: string,
  members: Json = {},
): Promise<string> {
  const webhook_url = merchants.get(sandbox)?.url;
  return create(sandbox, "/v1/payins", token, key, { ...PAYIN, webhook_url, ...members });
}

function createPayout(sandbox: Sandbox, token: string, members: Json = {}): Promise<string> {
  return create(sandbox, "/v1/payouts", token, undefined, { ...PAYOUT, ...members });
}

async function configureWebhook(sandbox: Sandbox, token: string): Promise<void> {
  const body = {
    webhook_url: merchants.get(sandbox)?.at("/configured"),
    events: ["payment.received", "payment.failed"],
  };
  const answer = await call(sandbox, { method: "PUT", path: "/v1/webhooks", token, body });
  expect(answer.status).toBe(200);
}

async function choiceOf(sandbox: Sandbox, token: string, name: string): Promise<unknown> {
  const { data } = await control(sandbox, token, "GET /assumptions");
  return (data as Json[]).find((row) => row["name"] === name)?.["choice"];
}

/** All that the routes show of it. */
async function worldOf(sandbox: Sandbox): Promise<unknown> {
  return [
    await recordsOf(sandbox, undefined, "payins"),
    await recordsOf(sandbox, undefined, "payouts"),
    await control(sandbox, undefined, "GET /deliveries"),
    await control(sandbox, undefined, "GET /clock"),
    await choiceOf(sandbox, "shop", "payin.expiry_event"),
    (await call(sandbox, { method: "GET", path: "/v1/webhooks", token: "shop" })).json,
  ];
}
