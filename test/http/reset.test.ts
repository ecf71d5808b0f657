import { BUYER, RECEIVER } from "../support/calls.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { deferred } from "../support/core.ts";
import { createFolder } from "../support/folder.ts";
import { call, control, type Json, recordsOf } from "../support/gateway.ts";
import { startMerchant } from "../support/merchant.ts";

const NOW = "2026-11-21T12:00:00.000Z";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe("a reset", { timeout: 60_000 }, () => {
  it("takes back all but secret, event numbers and snapshots, and the clock to its start", async () => {
    const { ask, create, configure, configuration, choiceOf, world } = await setUp();
    await ask("shop", "PUT /snapshots/before");
    await create("payins", { key: "order-1" });
    await create("payouts");
    await configure();
    await ask("shop", "PATCH /assumptions", { "payout.rival": "reject" });
    await ask(undefined, "POST /clock/advance", { seconds: 60 });
    const { secret } = await ask(undefined, "GET /secret");

    const answer = await ask(undefined, "POST /reset");
    expect(answer).toEqual({ reset: true, integration: null, now: NOW, mode: "frozen" });
    expect(await world()).toMatchObject([[], [], [], { now: NOW }, "none", {}]);
    expect((await configuration()).status).toBe(404);
    expect(await choiceOf("payout.rival")).toBe("cancel");
    expect(await ask(undefined, "GET /secret")).toMatchObject({ secret });
    expect(await ask("shop", "GET /snapshots")).toMatchObject({
      data: [{ name: "before", integration: "shop" }],
    });
    // The key is free.
    await create("payins", { key: "order-1", value: 99 });
  });

  it("lets nothing old be sent once it has answered: 200 webhooks in flight, in line and due again", async () => {
    const { merchant, ask, create, pay, deliveries } = await setUp();
    // Every other address fails at once, so that its retries are due; the others never answer.
    merchant.answerWith(({ path }) => (path.endsWith("busy") ? 503 : "hold"));
    for (let index = 0; index < 200; index++)
      await pay({ webhook_url: merchant.at(`/${index % 10}${index % 2 === 0 ? "/busy" : ""}`) });
    await merchant.waitFor(20);
    await ask("shop", "POST /reset");
    merchant.answerWith(200);
    // What had left by then lies at the merchant's door; it opens to whoever came before this one first.
    await fetch(merchant.url, { method: "POST", body: "{}" });
    const count = merchant.received.length;

    // Everything that could still come, comes with the time and ahead of a webhook of the new world.
    await ask(undefined, "POST /clock/advance", { seconds: 3600 });
    await ask("shop", `POST /payouts/${await create("payouts")}/complete`);
    await merchant.waitFor(1, ({ body }) => body.includes("payout.completed"));
    const sent = merchant.received.slice(count).map(({ body }) => JSON.parse(body).type as string);
    expect(sent).toEqual(["payout.completed"]);
    expect(await deliveries()).toMatchObject([{ type: "payout.completed", status: "delivered" }]);
  });

  it.each(["shop", undefined])(
    "of %s aborts attempts in flight: a webhook that comes with the same id afterwards has its own",
    async (token) => {
      const { merchant, ask, pay, deliveries } = await setUp({ seed: "42" });
      merchant.answerWith((_, index) => (index === 0 ? "hold" : 204));
      await pay();
      await merchant.waitFor(1);
      await ask(token, "POST /reset");
      await pay();
      await ask(undefined, "POST /settle");
      const [old, fresh] = merchant.received.map(({ headers }) => headers["webhook-id"]);
      expect(fresh).toBe(old);
      const [one] = await deliveries();
      expect(one).toMatchObject({ attempts: [{ status: 204 }] });
    },
  );

  it("of one integration leaves the other's records, attempts in flight and snapshots alone", async () => {
    const { merchant, ask, pay, payinsOf, deliveries } = await setUp();
    const { promise, resolve } = deferred<number>();
    merchant.answerWith(() => promise);
    for (const token of ["shop", "other"]) {
      await ask(token, "PUT /snapshots/empty");
      await pay({ token, webhook_url: merchant.at(`/${token}`) });
    }
    await merchant.waitFor(2);
    const before = await payinsOf("other");
    await ask("shop", "POST /reset");
    resolve(200);
    await ask(undefined, "POST /settle");

    expect(await payinsOf()).toEqual(before);
    const left = { integration: "other", status: "delivered", attempts: [{ status: 200 }] };
    expect(await deliveries()).toMatchObject([left]);
    expect(await ask(undefined, "GET /snapshots")).toMatchObject({
      data: [{ integration: "other" }, { integration: "shop" }],
    });
  });

  it("cuts an advance of the clock short that waits for a silent merchant", async () => {
    const { merchant, ask, pay } = await setUp();
    merchant.answerWith("hold");
    await pay();
    await merchant.waitFor(1);
    const advance = ask(undefined, "POST /clock/advance", { seconds: 86_400 });
    expect(await ask(undefined, "POST /reset")).toMatchObject({ now: NOW });
    await advance;
    expect(await ask(undefined, "GET /clock")).toMatchObject({ now: NOW });
  });
});

describe("a snapshot", { timeout: 60_000 }, () => {
  it("restores everything several times, and pending deliveries continue from there", async () => {
    const { merchant, ask, create, pay, configure, world } = await setUp();
    merchant.answerWith(503);
    const order = { key: "order-1", expiration: 60 };
    const payin = await create("payins", order);
    await configure();
    await ask("shop", "PATCH /assumptions", { "payin.expiry_event": "webhook" });
    await pay();
    await create("payouts");
    await ask(undefined, "POST /clock/advance", { seconds: 2 });
    const before = await world();
    const taken = await ask(undefined, "PUT /snapshots/pending");
    expect(taken).toEqual({
      name: "pending",
      integration: null,
      taken_at: "2026-11-21T12:00:02.000Z",
      payins: 2,
      payouts: 1,
      deliveries: 2,
    });

    for (const change of ["reset", "go on", "reset"]) {
      if (change === "reset") await ask(undefined, "POST /reset");
      else await ask(undefined, "POST /clock/advance", { seconds: 7200 });
      expect(await ask(undefined, "POST /snapshots/pending/restore")).toEqual(taken);
      expect(await world()).toEqual(before);
    }
    merchant.answerWith(200);
    const { happened } = await ask(undefined, "POST /clock/advance", { seconds: 60 });
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
    expect(await create("payins", order)).toBe(payin);
  });

  it.each([
    ["shop", "in memory"],
    [undefined, "in memory"],
    ["shop", "beside a state file"],
    [undefined, "beside a state file"],
  ])("of %s, %s, counts faults that were gone when it was taken", async (token, where) => {
    await using folder = await createFolder();
    const stateFile = where === "in memory" ? undefined : join(folder.path, "state.json");
    const options = { seed: "42", stateFile };
    const { sandbox, ask } = await setUp(options);
    const fault = { on: "webhook", effect: "early" };
    const addFault = async () => (await ask(token, "POST /faults", fault))["id"];
    const gone = await addFault();
    await ask(token, "DELETE /faults");
    await ask(token, "PUT /snapshots/before");
    const first = await addFault();
    expect(first).not.toBe(gone);
    await ask(token, "POST /snapshots/before/restore");
    expect(await addFault()).toBe(first);
    await sandbox.close();

    if (stateFile === undefined) return;
    const next = await setUp(options);
    expect(await next.ask(token, "GET /faults")).toMatchObject({ data: [{ id: first }] });
    await next.ask(token, "POST /snapshots/before/restore");
    expect(await next.ask(token, "POST /faults", fault)).toMatchObject({ id: first });
  });

  it("belongs to its integration: by another token, and without one, it is not there", async () => {
    const { sandbox, ask } = await setUp();
    await ask("shop", "PUT /snapshots/mine");
    await ask(undefined, "PUT /snapshots/all");
    for (const [token, name] of [
      ["other", "mine"],
      [undefined, "mine"],
      ["shop", "all"],
      ["shop", "%2e%2e%2fstate.json"],
      ["shop", "Mine"],
    ] as const)
      for (const [method, path] of [
        ["POST", `${name}/restore`],
        ["DELETE", name],
      ] as const) {
        const request = { method, path: `/_sandbox/snapshots/${path}` };
        const { status } = await call(sandbox, { ...request, headers: { "x-api-token": token } });
        expect([method, path, status]).toEqual([method, path, 404]);
      }
    const all = [{ name: "all" }, { name: "mine" }];
    expect(await ask("shop", "GET /snapshots")).toMatchObject({ data: all.slice(1) });
    expect(await ask(undefined, "GET /snapshots")).toMatchObject({ data: all });
  });

  it("of one name is another one for each integration, and leaves the others alone", async () => {
    const { ask, create, payinsOf } = await setUp();
    for (const token of ["shop", "other"]) {
      await create("payins", { token });
      await ask(token, "PUT /snapshots/base");
      await create("payins", { token });
    }
    await ask("shop", "POST /snapshots/base/restore");
    expect([await payinsOf("shop"), await payinsOf("other")]).toMatchObject([[{}], [{}, {}]]);
    await ask("shop", "DELETE /snapshots/base");
    await ask("other", "POST /snapshots/base/restore");
    expect(await payinsOf("other")).toHaveLength(1);
  });

  it("whose file is damaged is refused by its name, with nothing changed", async () => {
    await using folder = await createFolder();
    const stateFile = join(folder.path, "state.json");
    const { sandbox, ask, create, payinsOf } = await setUp({ stateFile });
    await create("payins");
    await ask(undefined, "PUT /snapshots/paid");
    await writeFile(`${stateFile}.paid.snapshot`, "Dear diary\n");
    await mkdir(`${stateFile}.taken.snapshot`);
    for (const [method, route, status, name] of [
      ["POST", "paid/restore", 422, "paid"],
      ["PUT", "taken", 503, "taken"],
    ] as const) {
      const answer = await sandbox.fetch(`/_sandbox/snapshots/${route}`, { method });
      expect([answer.status, await answer.json()]).toMatchObject([
        status,
        { message: expect.stringContaining(`state.json.${name}.snapshot`) as string },
      ]);
    }
    expect(await payinsOf("shop")).toHaveLength(1);
    await sandbox.close();
  });

  it("has a name of small letters, digits and . _ -, up to 64 of them", async () => {
    const { sandbox, ask } = await setUp();
    for (const name of ["a", "0", "a.b_c-d", "a".repeat(64)])
      expect(await ask("shop", `PUT /snapshots/${name}`)).toMatchObject({ name });
    for (const name of ["A", ".a", "-a", "a b", "a/b", "a@b", "á", "a".repeat(65)]) {
      const path = `/_sandbox/snapshots/${encodeURIComponent(name)}`;
      const { status, json } = await call(sandbox, { method: "PUT", path });
      expect({ name, status, json }).toMatchObject({
        status: 400,
        json: { errors: [{ field: "name" }] },
      });
    }
  });
});

/** A frozen sandbox and its merchant, both closed after the test. */
async function setUp(options: SandboxOptions = {}) {
  const merchant = await startMerchant();
  const sandbox = await startSandbox({ clock: "frozen", now: new Date(NOW), ...options });
  closing.push(
    () => sandbox.close(),
    () => merchant.close(),
  );
  const ask = (token: string | undefined, route: string, body?: Json) =>
    control(sandbox, token, route, body);
  const create = async (
    noun: "payins" | "payouts",
    { token = "shop", key, ...members }: Json & { token?: string; key?: string } = {},
  ): Promise<string> => {
    const sample = { ...(noun === "payins" ? BUYER : RECEIVER), webhook_url: merchant.url };
    const headers = { ...(key !== undefined && { "x-idempotency-key": key }) };
    const body = { ...sample, ...members };
    const answer = await call(sandbox, { path: `/v1/${noun}`, token, headers, body });
    expect(answer).toMatchObject({ status: 200 });
    return (answer.json as { id: string }).id;
  };
  const pay = async (members: Json & { token?: string } = {}): Promise<string> => {
    const id = await create("payins", members);
    await ask(undefined, `POST /payins/${id}/pay`);
    return id;
  };
  const configuration = () => call(sandbox, { method: "GET", path: "/v1/webhooks", token: "shop" });
  const configure = async (): Promise<void> => {
    const events = ["payment.received", "payment.failed"];
    const body = { webhook_url: merchant.at("/configured"), events };
    await call(sandbox, { method: "PUT", path: "/v1/webhooks", token: "shop", body });
    expect((await configuration()).status).toBe(200);
  };
  const choiceOf = async (name: string): Promise<unknown> => {
    const { data } = await ask("shop", "GET /assumptions");
    return (data as Json[]).find((row) => row["name"] === name)?.["choice"];
  };
  const payinsOf = (token?: string) => recordsOf(sandbox, token, "payins");
  const deliveries = async () => (await ask(undefined, "GET /deliveries"))["data"] as Json[];
  /** All that the routes show of it. */
  const world = async (): Promise<unknown> => [
    await payinsOf(),
    await recordsOf(sandbox, undefined, "payouts"),
    await deliveries(),
    await ask(undefined, "GET /clock"),
    await choiceOf("payin.expiry_event"),
    (await configuration()).json,
  ];
  return {
    sandbox,
    merchant,
    ask,
    create,
    pay,
    configuration,
    configure,
    choiceOf,
    payinsOf,
    deliveries,
    world,
  };
}
