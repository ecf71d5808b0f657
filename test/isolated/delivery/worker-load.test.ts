import { describe, expect, it, vi } from "vitest";
import { deferred, turns, watch } from "../../support/core.ts";
import { type Answering } from "../../support/merchant.ts";
import {
  idsOf,
  idsSentTo,
  merchantThat,
  setUp,
  stopping,
  useFakeTimers,
  useWorkers,
} from "./worker.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));
useWorkers();

describe("webhooks to one address", () => {
  it("are sent in the order of their events, even if the first gets its response last", async () => {
    const first = deferred();
    const { merchant, records, worker, pay } = await setUp(async (_received, index) => {
      if (index === 0) await first.promise;
      return 200;
    });
    for (let count = 0; count < 5; count++) await pay();
    await merchant.waitFor(1);
    first.resolve();
    await worker.idle(null);

    expect(idsOf(merchant.received)).toEqual(idsSentTo(records, merchant.url));
  });

  it("arrive in the order of their events, 300 at once", async () => {
    useFakeTimers();
    const { merchant, records, worker, payAt } = await setUp(async (_received, index) => {
      await turns(index % 7);
      return index % 5 === 0 ? 500 : 200;
    });
    const urls = [1, 2, 3].map((path) => merchant.at(`/${path}`));
    for (let index = 0; index < 300; index++) await payAt(urls[index % 3] ?? "");
    await worker.idle(null);

    expect(merchant.received).toHaveLength(300);
    for (const [index, url] of urls.entries())
      expect(idsOf(merchant.received.filter(({ path }) => path === `/${index + 1}`))).toEqual(
        idsSentTo(records, url),
      );
  });

  it("wait for one that is not answered, but not for long", async () => {
    useFakeTimers();
    const first = deferred();
    const { merchant, worker, records, pay } = await setUp(async (_received, index) => {
      if (index === 0) await first.promise;
      return 200;
    });
    for (let count = 0; count < 3; count++) await pay();
    await merchant.waitFor(1);
    await turns(20);
    expect(merchant.received).toHaveLength(1);

    vi.advanceTimersByTime(1000);
    await merchant.waitFor(3);
    first.resolve();
    await worker.idle(null);
    expect(idsOf(merchant.received)).toEqual(idsSentTo(records, merchant.url));
  });

  it("are not held back by one that failed", async () => {
    const { merchant, records, worker, pay } = await setUp((_received, index) =>
      index === 0 ? "reset" : 200,
    );
    for (let count = 0; count < 3; count++) await pay();
    await worker.idle(null);

    expect(merchant.received).toHaveLength(3);
    expect(records.deliveries.all().map(({ status }) => status)).toEqual([
      "pending",
      "delivered",
      "delivered",
    ]);
  });
});

describe("webhooks to many addresses", () => {
  it("are in flight at the same time, and the process warns of nothing", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): number => warnings.push(warning);
    process.on("warning", warn);
    stopping.push(async () => void process.off("warning", warn));
    const merchants = await Promise.all(Array.from({ length: 40 }, () => merchantThat("hold")));
    const { worker, payAt } = await setUp();
    for (const { url } of merchants) await payAt(url);
    await Promise.all(merchants.map((merchant) => merchant.waitFor(1)));

    for (const merchant of merchants) await merchant.close();
    await worker.idle(null);
    expect(warnings).toEqual([]);
  });
});

describe("merchants that never respond", () => {
  it("have eight places for an address, and delay no other address", async () => {
    useFakeTimers();
    const { merchant, worker, payAt } = await setUp(hangBut("/healthy"));
    for (let count = 0; count < 12; count++) await payAt(merchant.at("/hangs"));
    for (let count = 1; count <= 10; count++) {
      await merchant.waitFor(Math.min(count, 8));
      await turns(20);
      expect(merchant.received).toHaveLength(Math.min(count, 8));
      vi.advanceTimersByTime(1000);
    }
    for (let path = 0; path < 100; path++) await payAt(merchant.at(`/${path}`));
    await payAt(merchant.at("/healthy"));
    await merchant.waitFor(1, ({ path }) => path === "/healthy");

    await merchant.close();
    await worker.idle(null);
  });

  it("delay no other integration, not even at the same URL", async () => {
    useFakeTimers();
    const { merchant, records, worker, payAt } = await setUp("hold");
    for (let count = 0; count < 3; count++) await payAt(merchant.url, "other");
    for (let path = 0; path < 70; path++) await payAt(merchant.at(`/${path}`), "other");
    await merchant.waitFor(71);
    merchant.answerWith(200);
    await payAt(merchant.url, "shop");
    await worker.idle("shop");
    expect(records.deliveries.all().at(-1)).toMatchObject({ status: "delivered" });
    expect(merchant.received).toHaveLength(72);

    await merchant.close();
    await worker.idle(null);
  });
});

describe("a worker that is idle", () => {
  it("has no timer left", async () => {
    useFakeTimers();
    const { worker, pay } = await setUp();
    for (let count = 0; count < 3; count++) await pay();
    await worker.idle(null);

    expect(vi.getTimerCount()).toBe(0);
  });

  it("is so for one integration while it is not for another", async () => {
    const answer = deferred();
    const { merchant, records, worker, payAt } = await setUp(async ({ path }) => {
      if (path === "/slow") await answer.promise;
      return 200;
    });
    await payAt(merchant.at("/slow"), "other");
    await payAt(merchant.at("/quick"), "shop");
    await worker.idle("shop");
    expect(records.deliveries.all().map(({ status }) => status)).toEqual(["pending", "delivered"]);
    await worker.idle("nobody");

    const others = [watch(worker.idle("other")), watch(worker.idle(null))];
    await turns(20);
    expect(others).toMatchObject([{ isSettled: false }, { isSettled: false }]);
    answer.resolve();
    await worker.idle("other");
    expect(records.deliveries.all().map(({ status }) => status)).toEqual([
      "delivered",
      "delivered",
    ]);
  });

  it("has no attempt in flight or in line, resends included", async () => {
    const { records, worker, pay } = await setUp();
    for (let count = 0; count < 5; count++) await pay();
    await worker.idle("shop");
    expect(records.deliveries.all().map(({ attempts }) => attempts.length)).toEqual([
      1, 1, 1, 1, 1,
    ]);

    for (const one of records.deliveries.all()) void worker.resend(one);
    await worker.idle("shop");
    expect(records.deliveries.all().map(({ attempts }) => attempts.length)).toEqual([
      2, 2, 2, 2, 2,
    ]);
  });
});

/** Answers 200 at one path, and never at any other. */
function hangBut(healthy: string): Answering {
  return ({ path }) => (path === healthy ? 200 : "hold");
}
