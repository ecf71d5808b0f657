import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { RULE_IDS } from "../../src/review/rules.ts";
import { callsTo } from "../support/calls.ts";
import { START_MS } from "../support/core.ts";
import { startMerchant } from "../support/merchant.ts";
import { type PageModules, Tab } from "./page.ts";
import { replaceSandbox, replaceTab, sandbox, shop, tab, useTab } from "./tab.ts";

/** Opens the page, which follows the sandbox from then on. */
async function follow(): Promise<PageModules> {
  const page = await tab.open();
  void page.live.follow();
  await expect.poll(() => page.live.connection.value).toBe("live");
  return page;
}

const idsOf = (rows: Iterable<{ readonly id: string }>): readonly string[] =>
  [...rows].map(({ id }) => id);
const linesOf = (page: PageModules): readonly string[] =>
  [...page.sandbox.activity].map(({ event }) => event.kind);
useTab();

describe("a page that is opened", () => {
  it("has everything that the sandbox has, the newest first", async () => {
    const receiver = await shop.receiver();
    const one = await shop.payins.create({ webhookUrl: receiver.url });
    const two = await shop.payins.create({ webhookUrl: receiver.url });
    const payout = await shop.payouts.create({ webhookUrl: receiver.url });
    await shop.payins.pay(one.id);
    await sandbox.settled();
    const fault = await shop.faults.add({ on: "webhook", effect: "bad_signature" });
    await shop.snapshot("before");
    await shop.assumptions.change({ "value.unit": "centavos" });
    const page = await follow();

    expect(idsOf(page.sandbox.payins)).toEqual([two.id, one.id]);
    expect(page.sandbox.payins.get(one.id)?.status).toBe("paid");
    expect(idsOf(page.sandbox.payouts)).toEqual([payout.id]);
    expect([...page.sandbox.deliveries]).toMatchObject([
      { type: "payin.paid", status: "delivered" },
    ]);
    expect([...page.sandbox.requests].map(({ path }) => path)).toEqual([
      "/v1/payouts",
      "/v1/payins",
      "/v1/payins",
    ]);
    expect([page.sandbox.payins, page.sandbox.deliveries].map(({ total }) => total.value)).toEqual([
      2, 1,
    ]);
    expect(page.sandbox.payins.hasOlder.value).toBe(false);
    expect(page.sandbox.faults.value).toMatchObject([{ id: fault.id, on: "webhook" }]);
    expect(page.sandbox.snapshots.value).toMatchObject([{ name: "before", payins: 2 }]);
    expect(page.sandbox.integrations.value).toEqual(["shop"]);
    expect(page.sandbox.secret.value).toBe(sandbox.secret);
    expect(page.sandbox.about.value).toMatchObject({ protected: false });
    expect(page.sandbox.clock.value).toMatchObject({
      mode: "frozen",
      now: new Date(START_MS).toISOString(),
    });
    expect(page.sandbox.nowMs()).toBe(START_MS);
    expect(page.sandbox.nextDue.value).toMatchObject({ kind: "payin_expires" });
    expect(page.sandbox.review.value.rules).toHaveLength(RULE_IDS.length);
    expect([...page.sandbox.rules.value.keys()]).toEqual(
      page.sandbox.review.value.rules.map(({ id }) => id),
    );
    expect(page.sandbox.assumptions.value.map(({ name }) => name)).toContain("payout.rival");
    expect(linesOf(page)).toEqual(["attempt", "payin", "payout"]);
    expect(page.sandbox.loads.value).toBe(1);
  });

  it("shows amounts in centavos if the sandbox reads them so", async () => {
    await using other = await startSandbox({
      port: 0,
      assumptions: { "value.unit": "centavos" },
    });
    expect((await follow()).sandbox.isInCentavos.value).toBe(false);
    replaceTab(new Tab(other));
    expect((await follow()).sandbox.isInCentavos.value).toBe(true);
    tab.close();
  });

  it("loads older rows when the user scrolls to them, once at a time", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift((await shop.payins.create()).id);
    tab.pageRows = 2;
    const page = await follow();
    expect([idsOf(page.sandbox.payins), page.sandbox.payins.total.value]).toEqual([
      ids.slice(0, 2),
      5,
    ]);
    expect(page.sandbox.payins.hasOlder.value).toBe(true);
    await Promise.all([page.sandbox.loadOlder("payins"), page.sandbox.loadOlder("payins")]);
    expect([idsOf(page.sandbox.payins), page.sandbox.payins.hasOlder.value]).toEqual([
      ids.slice(0, 4),
      true,
    ]);
    await page.sandbox.loadOlder("payins");
    expect([idsOf(page.sandbox.payins), page.sandbox.payins.hasOlder.value]).toEqual([ids, false]);
    const before = tab.fetched.length;
    await page.sandbox.loadOlder("payins");
    expect(tab.fetched).toHaveLength(before);
    expect(page.sandbox.payins.isLoadingOlder).toBe(false);
  });

  it("loads itself again if the control token is refused", async () => {
    const page = await follow();
    tab.respond = () =>
      Promise.resolve(Response.json({ message: "Wrong token." }, { status: 401 }));
    await expect(page.sandbox.loadNewest("payins")).rejects.toThrow(page.control.ControlError);
    expect(tab.reloads).toBe(1);
    await expect(page.control.control("GET", "/about")).rejects.toThrow("Wrong token.");
    expect(tab.reloads).toBe(2);
  });
});

describe("a page that follows the sandbox", () => {
  it("shows each change of a record, a webhook and its attempt", async () => {
    const receiver = await shop.receiver();
    const page = await follow();
    const { id } = await shop.payins.create({ webhookUrl: receiver.url });
    await expect.poll(() => page.sandbox.payins.get(id)?.status).toBe("waiting");
    await shop.payins.pay(id);
    await sandbox.settled();
    await expect.poll(() => page.sandbox.payins.get(id)?.status).toBe("paid");
    await expect.poll(() => [...page.sandbox.deliveries][0]?.status).toBe("delivered");
    expect([...page.sandbox.deliveries]).toMatchObject([{ attempts: [{ status: 200 }] }]);
    expect([...page.sandbox.deliveries][0]).not.toHaveProperty("attempt");
    expect([...page.sandbox.requests]).toMatchObject([{ path: "/v1/payins", status: 200 }]);
    expect(linesOf(page)).toEqual(["attempt"]);
    expect([page.sandbox.payins.total.value, page.sandbox.sending.size]).toEqual([1, 0]);
    await expect.poll(() => page.sandbox.integrations.value).toEqual(["shop"]);
    const payout = await shop.payouts.create();
    await expect.poll(() => idsOf(page.sandbox.payouts)).toEqual([payout.id]);
  });

  it("shows a webhook as sending while its attempt is in flight", async () => {
    let respond = (_status: number): void => undefined;
    const answer = new Promise<number>((resolve) => {
      respond = resolve;
    });
    await using merchant = await startMerchant({ answer: () => answer });
    const page = await follow();
    const { id } = await shop.payins.create({ webhookUrl: merchant.url });
    const paid = shop.payins.pay(id);
    await expect.poll(() => page.sandbox.sending.size).toBe(1);
    const [before] = page.sandbox.deliveries;
    expect(before && page.webhook.shownStatus(before)).toBe("sending");
    respond(200);
    await paid;
    await expect.poll(() => page.sandbox.sending.size).toBe(0);
    const [after] = page.sandbox.deliveries;
    expect(after && page.webhook.shownStatus(after)).toBe("delivered");
  });

  it("shows faults, assumptions, snapshots and the clock as they change", async () => {
    const page = await follow();
    const one = await shop.faults.add({ on: "payins.create", effect: "error=EXTERNAL_ERROR" });
    const two = await shop.faults.add({ on: "webhook", effect: "bad_signature" });
    await expect.poll(() => idsOf(page.sandbox.faults.value)).toEqual([one.id, two.id]);
    await expect(shop.payins.create()).rejects.toMatchObject({ code: "EXTERNAL_ERROR" });
    await expect.poll(() => page.sandbox.faults.value).toMatchObject([{ used: 1 }, { used: 0 }]);
    await shop.faults.remove(one.id);
    await expect.poll(() => idsOf(page.sandbox.faults.value)).toEqual([two.id]);

    await shop.assumptions.change({ "value.unit": "centavos" });
    page.control.chooseScope("shop");
    page.live.reload();
    await expect.poll(() => page.sandbox.isInCentavos.value).toBe(true);
    await shop.assumptions.change({ "value.unit": "reais" });
    await expect.poll(() => page.sandbox.isInCentavos.value).toBe(false);

    await shop.snapshot("mine");
    await expect.poll(() => page.sandbox.snapshots.value.map(({ name }) => name)).toEqual(["mine"]);
    await shop.snapshots.delete("mine");
    await expect.poll(() => page.sandbox.snapshots.value).toEqual([]);

    await sandbox.clock.advance({ seconds: 90 });
    await expect.poll(() => page.sandbox.nowMs()).toBe(START_MS + 90_000);
    expect(new Set(linesOf(page))).toEqual(
      new Set(["request", "fault", "assumptions", "snapshot", "clock"]),
    );
  });

  it("shows the calls that a fault holds, and that they were released", async () => {
    const page = await follow();
    const { id } = await shop.faults.add({ on: "payins.create", effect: "hold" });
    const created = shop.payins.create();
    await expect.poll(() => page.sandbox.faults.value[0]?.held).toMatchObject([{}]);
    await shop.faults.release(id);
    await created;
    await expect.poll(() => page.sandbox.faults.value[0]?.held).toEqual([]);
    expect(linesOf(page)).toEqual(expect.arrayContaining(["held", "released"]));
  });

  it("shows what is due next, and what the review says, after each change", async () => {
    const page = await follow();
    expect(page.sandbox.nextDue.value).toBeNull();
    const { id } = await shop.payins.create();
    await expect.poll(() => page.sandbox.nextDue.value).toMatchObject({ kind: "payin_expires" });
    await shop.payins.cancel(id);
    await expect.poll(() => page.sandbox.nextDue.value).toBeNull();
    const calls = callsTo(sandbox.url, "shop");
    const webhook_url = "http://127.0.0.1:9/";
    for (const value of [10, 20]) await calls.createPayin({ webhook_url, value }, "same");
    await expect
      .poll(() => page.sandbox.review.value.rules.find(({ verdict }) => verdict === "fail")?.id)
      .toBe("key_reused_with_other_body");
  });

  it("empties its lists after a reset", async () => {
    const page = await follow();
    const { id } = await shop.payins.create();
    await expect.poll(() => idsOf(page.sandbox.payins)).toEqual([id]);
    await sandbox.reset();
    await expect.poll(() => idsOf(page.sandbox.payins)).toEqual([]);
    await expect.poll(() => page.sandbox.loads.value).toBe(2);
    expect(linesOf(page)).toContain("reset");
  });

  it("changes nothing while it is paused, counts the events, and shows them afterwards", async () => {
    const page = await follow();
    page.live.pause();
    const { id } = await shop.payins.create();
    await expect.poll(() => page.live.waiting.value).toBe(2);
    expect([page.sandbox.payins.size, page.live.isPaused.value]).toEqual([0, true]);
    page.live.resume();
    await expect.poll(() => idsOf(page.sandbox.payins)).toEqual([id]);
    expect([page.live.waiting.value, page.live.isPaused.value]).toEqual([0, false]);
  });

  it("draws events also while its tab is in the background", async () => {
    tab.hidden = true;
    const page = await follow();
    const { id } = await shop.payins.create();
    await expect.poll(() => idsOf(page.sandbox.payins)).toEqual([id]);
  });

  it("beats while something changes, and not otherwise", async () => {
    const page = await follow();
    const before = page.sandbox.pulse.value;
    await shop.payins.create();
    await expect.poll(() => page.sandbox.pulse.value).toBeGreaterThan(before);
  });

  it("goes on after the connection was lost, with what has happened meanwhile", async () => {
    const { port } = sandbox;
    const page = await follow();
    const { id } = await shop.payins.create();
    await expect.poll(() => idsOf(page.sandbox.payins)).toEqual([id]);
    await sandbox.close();
    await expect.poll(() => page.live.connection.value).toBe("reconnecting");
    replaceSandbox(await startSandbox({ port, seed: "2" }));
    const other = await sandbox.integration("other").payins.create();
    page.live.retryNow();
    await expect.poll(() => page.live.connection.value).toBe("live");
    // It is another sandbox: nothing of the first one stays.
    await expect.poll(() => idsOf(page.sandbox.payins)).toEqual([other.id]);
    expect(page.sandbox.integrations.value).toEqual(["other"]);
  });

  it("connects again if nothing arrives for a while, as over a dead connection", async () => {
    const encoder = new TextEncoder();
    let send = (_text: string): void => undefined;
    tab.respond = (path, signal) => {
      if (!path.startsWith("/_sandbox/events")) return undefined;
      const body = new ReadableStream({
        start: (stream) => {
          send = (text) => stream.enqueue(encoder.encode(text));
          signal.addEventListener("abort", () => stream.error(signal.reason));
          send('event: connected\ndata: {"stream":"one"}\n\n');
        },
      });
      return Promise.resolve(new Response(body));
    };
    await follow();
    const connections = () => tab.fetched.filter((one) => one.includes("/events")).length;
    const before = tab.onSilence;
    send(": still here\n\n");
    // The wait begins again.
    await expect.poll(() => tab.onSilence !== undefined && tab.onSilence !== before).toBe(true);
    expect(connections()).toBe(1);
    tab.respond = undefined;
    tab.onSilence?.();
    await expect.poll(connections).toBe(2);
  });

  it("reports a connection that does not come back", async () => {
    const page = await follow();
    page.live.reload();
    await expect.poll(() => page.sandbox.loads.value).toBe(2);
    await sandbox.close();
    await expect
      .poll(() => {
        page.live.retryNow();
        return page.live.connection.value;
      })
      .toBe("lost");
  });
});

describe("a page that shows one integration", () => {
  it("has its records only, and the faults that act on its calls", async () => {
    const other = sandbox.integration("other");
    const mine = await shop.payins.create();
    await other.payins.create();
    const ofAll = await sandbox.faults.add({ on: "webhook", effect: "bad_signature" });
    const own = await shop.faults.add({ on: "webhook", effect: "bad_signature" });
    await other.faults.add({ on: "webhook", effect: "bad_signature" });
    const page = await follow();
    expect(page.sandbox.payins.size).toBe(2);
    expect(page.sandbox.faults.value).toHaveLength(3);
    page.control.chooseScope("shop");
    page.live.reload();
    await expect.poll(() => idsOf(page.sandbox.payins)).toEqual([mine.id]);
    await expect.poll(() => idsOf(page.sandbox.faults.value)).toEqual([ofAll.id, own.id]);
    expect(page.sandbox.integrations.value).toEqual(["shop", "other"]);

    await other.payins.create();
    await other.faults.add({ on: "webhook", effect: "bad_signature" });
    const next = await shop.payins.create();
    await expect.poll(() => idsOf(page.sandbox.payins)).toEqual([next.id, mine.id]);
    expect(idsOf(page.sandbox.faults.value)).toEqual([ofAll.id, own.id]);

    // The choice outlives the page, not the tab.
    const again = await follow();
    expect([again.control.scope.value, idsOf(again.sandbox.payins)]).toEqual([
      "shop",
      [next.id, mine.id],
    ]);
    again.control.chooseScope(null);
    again.live.reload();
    await expect.poll(() => again.sandbox.payins.size).toBe(4);
    expect((await follow()).control.scope.value).toBeNull();
  });

  it("can have any name", async () => {
    const webhook_url = "http://127.0.0.1:9/";
    const { body } = await callsTo(
      sandbox.url,
      Buffer.from("açaí ✓").toString("latin1"),
    ).createPayin({ webhook_url });
    await shop.payins.create();
    const page = await tab.open();
    page.control.chooseScope("açaí ✓");
    await page.sandbox.loadAll();
    expect(idsOf(page.sandbox.payins)).toEqual([body.id]);
  });

  it("shows no response to a call of before the choice", async () => {
    await shop.payins.create();
    const page = await tab.open();
    const loading = page.sandbox.loadNewest("payins");
    const reading = page.control.control("GET", "/assumptions");
    const ofAll = page.control.control("GET", "/integrations", { integration: null });
    page.control.chooseScope("other");
    await expect(loading).rejects.toThrow("The page shows another integration now.");
    await expect(reading).rejects.toThrow("The page shows another integration now.");
    await expect(ofAll).resolves.toMatchObject({ data: [{ integration: "shop" }] });
    expect(page.sandbox.payins.size).toBe(0);
  });
});

describe("the activity of a page that is loaded again", () => {
  it("still has what is in no list, and drops it with another sandbox", async () => {
    const first = await follow();
    await sandbox.clock.advance({ seconds: 1 });
    await shop.assumptions.change({ "value.unit": "centavos" });
    await expect.poll(() => linesOf(first)).toEqual(["assumptions", "clock"]);
    expect(linesOf(await follow())).toEqual(["assumptions", "clock"]);

    tab.session.setItem("pix-sandbox-integration", "other");
    expect(linesOf(await follow())).toEqual(["clock"]);
    tab.session.removeItem("pix-sandbox-integration");

    await sandbox.close();
    replaceSandbox(await startSandbox({ port: 0 }));
    tab.url = sandbox.url;
    expect(linesOf(await follow())).toEqual([]);
  });

  it("begins empty if the browser's storage holds something else", async () => {
    tab.session.setItem("pix-sandbox-activity", "{");
    expect(linesOf(await follow())).toEqual([]);
  });
});

describe("a call of the page", () => {
  it("rejects with the sandbox's own words", async () => {
    const page = await tab.open();
    const add = page.control.control("POST", "/faults", { body: { on: "nothing", effect: "x" } });
    await expect(add).rejects.toThrow(page.control.ControlError);
    await expect(add).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/^on must be one of payins\.create, .+\.$/) as string,
    });
    await expect(page.control.control("GET", "/payins/none")).rejects.toMatchObject({
      status: 404,
    });
    tab.respond = () => Promise.resolve(new Response("", { status: 503 }));
    await expect(page.control.control("GET", "/about")).rejects.toThrow("503");
    await expect(page.sandbox.loadNewest("payins")).rejects.toMatchObject({ status: 503 });
  });

  it("says in the page's language that there is no response", async () => {
    const page = await tab.open();
    await sandbox.close();
    const lost = { status: 0, message: "The sandbox does not respond." };
    await expect(page.control.control("GET", "/about")).rejects.toMatchObject(lost);
    page.language.chooseLanguage("pt");
    await expect(page.control.control("GET", "/about")).rejects.toThrow("O sandbox não responde.");
  });

  it("ends when it is canceled", async () => {
    const page = await tab.open();
    const options = { signal: AbortSignal.abort() };
    await expect(page.control.control("GET", "/about", options)).rejects.toMatchObject({
      status: 0,
    });
  });
});

describe("the secret that signs an integration's webhooks", () => {
  it("is loaded once, and again when the secrets may be others", async () => {
    const page = await tab.open();
    const { secretOf } = page.secrets;
    const loads = () => tab.fetched.filter((one) => one === "GET /_sandbox/secret").length;
    expect(await Promise.all([secretOf("shop"), secretOf("shop")])).toEqual([
      sandbox.secret,
      sandbox.secret,
    ]);
    expect(loads()).toBe(1);
    await secretOf("other");
    expect(loads()).toBe(2);
    await page.sandbox.loadAssumptions();
    await secretOf("shop");
    expect(loads()).toBe(3);
    page.sandbox.secret.value = "whsec_other";
    await secretOf("shop");
    expect(loads()).toBe(4);
    tab.respond = () => Promise.resolve(Response.json({}, { status: 503 }));
    await expect(secretOf("third")).rejects.toThrow("503");
    tab.respond = undefined;
    expect(await secretOf("third")).toBe(sandbox.secret);
  });
});
