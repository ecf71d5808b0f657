import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { callsTo } from "../support/calls.ts";
import { call, control, type Json } from "../support/gateway.ts";
import { startMerchant } from "../support/merchant.ts";

const NOWHERE = { webhook_url: "http://127.0.0.1:9/hook" };
const LISTS = ["payins", "payouts", "deliveries", "requests", "faults", "transactions"] as const;

/** Each list of `shop` has five rows or more, and `other` has some. */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "frozen", assumptions: { "payout.rival": "allow" } });
  const other = callsTo(sandbox.url, "other");
  await other.createPayin(NOWHERE);
  const calls = callsTo(sandbox.url, "shop");
  for (let count = 0; count < 5; count++) {
    const { body } = await calls.createPayin(NOWHERE);
    await calls.createPayout(NOWHERE);
    await calls.control("POST", `/payins/${body.id}/pay`);
    await control(sandbox, "shop", "POST /faults", { on: "webhook", effect: "duplicate" });
  }
  await other.createPayout(NOWHERE);
});
afterAll(() => sandbox.close());

describe.each(LISTS)("GET /_sandbox/%s", { timeout: 60_000 }, (noun) => {
  async function list(query: string, token = "shop") {
    const path = `/_sandbox/${noun}?${query}`;
    const answer = await call(sandbox, { method: "GET", path, token });
    const { data = [], next, errors } = answer.json as { data?: Json[]; next: string } & Json;
    return {
      ids: data.map(({ id }) => String(id)),
      next,
      total: answer.headers["x-total-count"],
      status: answer.status,
      fault: (errors as Json[] | undefined)?.[0],
    };
  }

  let ids: readonly string[];
  beforeAll(async () => {
    ids = (await list("limit=1000")).ids;
  });

  it("has the rows whose ids begin with prefix", async () => {
    const last = ids.at(-1) ?? "";
    const matching = ids.filter((id) => id.startsWith(last.slice(0, 5)));
    const found = await list(`prefix=${last.slice(0, 5)}&order=desc`);
    expect(found).toMatchObject({ ids: matching.toReversed(), next: null, total: undefined });
    expect((await list(`prefix=${last}x`)).ids).toEqual([]);
    expect((await list(`prefix=${last}`, "other")).ids).toEqual([]);
  });

  it.each(["asc", "desc"])("goes on with `next`, in both directions: %s", async (order) => {
    expect(ids.length).toBeGreaterThanOrEqual(5);
    const ordered = order === "asc" ? ids : ids.toReversed();
    expect(await list(`order=${order}`)).toMatchObject({ ids: ordered, next: null });
    const first = await list(`order=${order}&limit=2`);
    const second = await list(`order=${order}&limit=2&after=${first.next}`);
    expect([...first.ids, ...second.ids]).toEqual(ordered.slice(0, 4));
    const last = await list(`order=${order}&limit=2&before=${ordered[4]}`);
    expect(last.ids).toEqual(second.ids);
    expect(await list(`order=${order}&limit=2&before=${last.next}`)).toMatchObject({
      ids: first.ids,
      next: null,
    });
  });

  it("counts the rows that the caller sees", async () => {
    expect((await list("limit=1")).total).toBe(String(ids.length));
    expect((await list("limit=1", "nobody")).total).toBe("0");
  });

  it.each([
    ["prefix=", "prefix"],
    ["order=newest", "order"],
    ["order=", "order"],
    ["before=unknown", "before"],
    ["after=unknown", "after"],
    ["after=one&before=other", "before"],
  ])("refuses %s", async (query, field) => {
    expect(await list(query)).toMatchObject({ status: 400, fault: { field } });
  });
});

it("the length of a list is not counted if the list is filtered, and follows a reset", async () => {
  await using own = await startSandbox({ clock: "frozen", keepRequests: 3 });
  for (let count = 0; count < 5; count++) await callsTo(own.url, "shop").createPayin(NOWHERE);
  const totals = () =>
    Promise.all(
      ["payins", "payins?status=waiting", "deliveries?type=payin.paid", "requests"].map(
        async (path) => (await own.fetch(`/_sandbox/${path}`)).headers.get("x-total-count"),
      ),
    );

  expect(await totals()).toEqual(["5", null, null, "3"]);
  await callsTo(own.url, "other").createPayin(NOWHERE);
  await control(own, "shop", "POST /reset");
  expect(await totals()).toEqual(["1", null, null, "1"]);
  await control(own, undefined, "POST /reset");
  expect(await totals()).toEqual(["0", null, null, "0"]);
});

it("a list has the rows with a text in a member, in either case, and with the values of filters", async () => {
  await using own = await startSandbox({ clock: "frozen" });
  const calls = callsTo(own.url, "shop");
  const { body: maria } = await calls.createPayin({ ...NOWHERE, buyer_name: "Maria da Ção" });
  const { body: joao } = await calls.createPayin({ ...NOWHERE, buyer_name: "João" });
  await calls.control("POST", `/payins/${maria.id}/pay`);
  const found = async (list: string, query: object, token?: string): Promise<unknown[]> => {
    const text = new URLSearchParams({ ...query }).toString();
    const { data } = await control(own, token, `GET /${list}?${text}`);
    return (data as Json[]).map((row) => row["transaction_id"] ?? row["id"]);
  };
  expect(await found("payins", { search: "maria DA ção" })).toEqual([maria.id]);
  expect(await found("payins", { search: joao.id.slice(4, 20) })).toEqual([joao.id]);
  expect(await found("payins", { search: "10.5", status: "paid" })).toEqual([maria.id]);
  expect(await found("payins", { search: "10.5", order: "desc", limit: 1 })).toEqual([joao.id]);
  expect(await found("payins", { search: "nobody" })).toEqual([]);
  expect(await found("payins", { pix_id: joao.pix_id })).toEqual([joao.id]);
  expect(await found("deliveries", { search: "maria" })).toEqual([maria.id]);
  expect(await found("requests", { search: "JOÃO" })).toEqual([joao.id]);
  expect(await found("payins", { search: "maria" }, "other")).toEqual([]);
});

it("GET /_sandbox/transactions has payins and payouts in the order of their creation, with their newest webhooks", async () => {
  await using merchant = await startMerchant();
  await using own = await startSandbox({ clock: "frozen" });
  const calls = callsTo(own.url, "shop");
  const ask = (route: string) => control(own, undefined, route);
  const { body: paid } = await calls.createPayin({ webhook_url: merchant.url });
  const { body: payout } = await calls.createPayout(NOWHERE);
  const { body: failing } = await calls.createPayin(NOWHERE);
  const all = [
    { ...(await ask(`POST /payins/${paid.id}/pay`)), kind: "payin", webhook: "delivered" },
    { ...(await ask(`GET /payouts/${payout.id}`)), kind: "payout", webhook: null },
    { ...(await ask(`POST /payins/${failing.id}/pay`)), kind: "payin", webhook: "pending" },
  ];
  await ask("POST /settle");
  const list = async (query = "") => (await ask(`GET /transactions${query}`))["data"];
  expect(await list()).toEqual(all);
  expect(await list("?kind=payout")).toEqual([all[1]]);
  expect(await list("?kind=payin&order=desc&search=DELIVERED")).toEqual([all[0]]);
  expect(await ask(`GET /transactions/${failing.id}`)).toEqual(all[2]);
  const hidden = { method: "GET", path: `/_sandbox/transactions/${paid.id}`, token: "other" };
  expect((await call(own, hidden)).status).toBe(404);
});
