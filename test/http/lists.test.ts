import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { callsTo } from "../support/calls.ts";
import { startMerchant } from "../support/merchant.ts";

const NOWHERE = { webhook_url: "http://127.0.0.1:9/hook" };
const LISTS = ["payins", "payouts", "deliveries", "requests", "faults", "transactions"] as const;

describe.each(LISTS)("GET /_sandbox/%s", { timeout: 60_000 }, (noun) => {
  let sandbox: Sandbox;
  let ids: readonly string[];
  beforeAll(async () => {
    sandbox = await startSandbox({ clock: "frozen", assumptions: { "payout.rival": "allow" } });
    const other = callsTo(sandbox.url, "other");
    await other.createPayin(NOWHERE);
    const calls = callsTo(sandbox.url, "shop");
    for (let count = 0; count < 5; count++) {
      const { body } = await calls.createPayin(NOWHERE);
      await calls.createPayout(NOWHERE);
      await calls.control("POST", `/payins/${body.id}/pay`);
      await post("/faults", { on: "webhook", effect: "duplicate" });
    }
    await other.createPayout(NOWHERE);
    ids = (await list("limit=1000")).ids;
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  const post = (path: string, body: object) =>
    fetch(`${sandbox.url}/_sandbox${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-token": "shop" },
      body: JSON.stringify(body),
    });

  async function list(query: string, token?: string) {
    const headers = { "x-api-token": token ?? "shop" };
    const answer = await fetch(`${sandbox.url}/_sandbox/${noun}?${query}`, { headers });
    const {
      data = [],
      next,
      ...refusal
    } = (await answer.json()) as {
      data?: readonly { id: string }[];
      next: string | null;
      errors?: readonly { field: string; message: string }[];
    };
    return {
      ids: data.map(({ id }) => id),
      next,
      total: answer.headers.get("x-total-count"),
      status: answer.status,
      fault: refusal.errors?.[0],
    };
  }

  it("has the rows whose ids begin with prefix", async () => {
    const last = ids.at(-1) ?? "";
    const matching = ids.filter((id) => id.startsWith(last.slice(0, 5)));
    const found = await list(`prefix=${last.slice(0, 5)}&order=desc`);
    expect(found).toMatchObject({ ids: matching.toReversed(), next: null, total: null });
    expect((await list(`prefix=${last}x`)).ids).toEqual([]);
    expect((await list(`prefix=${last}`, "other")).ids).toEqual([]);
    expect(await list("prefix=")).toMatchObject({ status: 400, fault: { field: "prefix" } });
  });

  it("has the newest last, and first with order=desc", async () => {
    expect(ids.length).toBeGreaterThanOrEqual(5);
    expect((await list("order=asc")).ids).toEqual(ids);
    expect(await list("order=desc")).toMatchObject({ ids: ids.toReversed(), next: null });
    expect((await list("order=desc&limit=2")).ids).toEqual(ids.toReversed().slice(0, 2));
  });

  it.each(["asc", "desc"])("goes on with `next`, in both directions: %s", async (order) => {
    const ordered = order === "asc" ? ids : ids.toReversed();
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
    ["order=newest", "order"],
    ["order=", "order"],
    ["before=unknown", "before"],
    ["after=unknown", "after"],
    ["after=one&before=other", "before"],
  ])("refuses %s", async (query, field) => {
    expect(await list(query)).toMatchObject({ status: 400, fault: { field } });
  });
});

describe("the length of a list", () => {
  it("is not counted if the list is filtered, and follows a reset", async () => {
    await using sandbox = await startSandbox({ clock: "frozen", keepRequests: 3 });
    const calls = callsTo(sandbox.url, "shop");
    for (let count = 0; count < 5; count++) await calls.createPayin(NOWHERE);
    const totals = () =>
      Promise.all(
        ["payins", "payins?status=waiting", "deliveries?type=payin.paid", "requests"].map(
          async (path) =>
            (await fetch(`${sandbox.url}/_sandbox/${path}`)).headers.get("x-total-count"),
        ),
      );

    expect(await totals()).toEqual(["5", null, null, "3"]);
    await callsTo(sandbox.url, "other").createPayin(NOWHERE);
    const reset = { method: "POST", headers: { "x-api-token": "shop" } };
    await fetch(`${sandbox.url}/_sandbox/reset`, reset);
    expect(await totals()).toEqual(["1", null, null, "1"]);
    await fetch(`${sandbox.url}/_sandbox/reset`, { method: "POST" });
    expect(await totals()).toEqual(["0", null, null, "0"]);
  });
});

describe("a list", () => {
  it("has the rows with a text in a member, in either case, and with the values of filters", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    const calls = callsTo(sandbox.url, "shop");
    const { body: maria } = await calls.createPayin({ ...NOWHERE, buyer_name: "Maria da Ção" });
    const { body: joao } = await calls.createPayin({ ...NOWHERE, buyer_name: "João" });
    await calls.control("POST", `/payins/${maria.id}/pay`);
    const found = async (path: string): Promise<unknown[]> => {
      const { data } = await calls.control<{ data: Record<string, unknown>[] }>("GET", path);
      return data.map((row) => row["transaction_id"] ?? row["id"]);
    };
    const search = (text: string) => new URLSearchParams({ search: text }).toString();
    expect(await found(`/payins?${search("maria DA ção")}`)).toEqual([maria.id]);
    expect(await found(`/payins?${search(joao.id.slice(4, 20))}`)).toEqual([joao.id]);
    expect(await found(`/payins?${search("10.5")}&status=paid`)).toEqual([maria.id]);
    expect(await found(`/payins?${search("10.5")}&order=desc&limit=1`)).toEqual([joao.id]);
    expect(await found(`/payins?${search("nobody")}`)).toEqual([]);
    expect(await found(`/payins?pix_id=${joao.pix_id}`)).toEqual([joao.id]);
    expect(await found(`/deliveries?${search("maria")}`)).toEqual([maria.id]);
    expect(await found(`/requests?${search("JOÃO")}`)).toEqual([joao.id]);
    const headers = { "x-api-token": "other" };
    const others = await fetch(`${sandbox.url}/_sandbox/payins?search=maria`, { headers });
    expect(await others.json()).toEqual({ data: [], next: null });
  });
});

describe("GET /_sandbox/transactions", () => {
  it("has payins and payouts in the order of their creation, with their newest webhooks", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    await using merchant = await startMerchant();
    const calls = callsTo(sandbox.url, "shop");
    const { body: paid } = await calls.createPayin({ webhook_url: merchant.url });
    const { body: payout } = await calls.createPayout(NOWHERE);
    const { body: failing } = await calls.createPayin(NOWHERE);
    const records = [
      { ...(await calls.control<object>("POST", `/payins/${paid.id}/pay`)), kind: "payin" },
      { ...(await calls.control<object>("GET", `/payouts/${payout.id}`)), kind: "payout" },
      { ...(await calls.control<object>("POST", `/payins/${failing.id}/pay`)), kind: "payin" },
    ];
    await calls.control("POST", "/settle");
    const list = async (query = "") => {
      const { data } = await calls.control<{ data: unknown[] }>("GET", `/transactions${query}`);
      return data;
    };
    const all = records.map((record, index) => ({
      ...record,
      webhook: ["delivered", null, "pending"][index],
    }));
    expect(await list()).toEqual(all);
    expect(await list("?kind=payout")).toEqual([all[1]]);
    expect(await list("?kind=payin&order=desc&search=DELIVERED")).toEqual([all[0]]);
    expect(await calls.control("GET", `/transactions/${failing.id}`)).toEqual(all[2]);
    for (const path of ["transactions?kind=refund", `transactions/${paid.id}`]) {
      const headers = { "x-api-token": "other" };
      const { status } = await sandbox.fetch(`/_sandbox/${path}`, { headers });
      expect([path, status]).toEqual([path, path.includes("?") ? 400 : 404]);
    }
  });
});

describe("GET /_sandbox/requests/{id}", () => {
  it("shows one request, to its integration", async () => {
    await using sandbox = await startSandbox();
    const calls = callsTo(sandbox.url, "shop");
    await calls.createPayin(NOWHERE);
    const { data } = await calls.control<{ data: unknown[] }>("GET", "/requests");
    expect(await calls.control("GET", "/requests/req_1")).toEqual(data[0]);
    const headers = { "x-api-token": "other" };
    const hidden = await fetch(`${sandbox.url}/_sandbox/requests/req_1`, { headers });
    expect(hidden.status).toBe(404);
  });
});
