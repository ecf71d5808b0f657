import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import type { Gateway } from "../../../src/core/operations/gateway.ts";
import { DeliveryWorker } from "../../../src/delivery/worker.ts";
import { deferred, delivery as deliveryWith, turns, watch } from "../../support/core.ts";
import { type Answering } from "../../support/merchant.ts";
import {
  SECRET,
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
  it("have few places each, and delay no other merchant although they queue many first", async () => {
    useFakeTimers();
    const { merchant, worker, payAt } = await setUp();
    const silent = await Promise.all(Array.from({ length: 8 }, () => merchantThat("hold")));
    for (const one of silent) for (let path = 0; path < 40; path++) await payAt(one.at(`/${path}`));
    await payAt(merchant.url);
    await merchant.waitFor(1);
    for (const one of silent) expect((await one.waitFor(32)).length).toBe(32);

    for (const one of silent) await one.close();
    await worker.idle(null);
  });

  it("delay no other path of theirs, 20 of them at once", async () => {
    useFakeTimers();
    const { merchant, worker, payAt } = await setUp(hangBut("/healthy"));
    for (let path = 0; path < 20; path++) await payAt(merchant.at(`/${path}`));
    await payAt(merchant.at("/healthy"));
    await merchant.waitFor(1, ({ path }) => path === "/healthy");
    await merchant.waitFor(21);

    await merchant.close();
    await worker.idle(null);
  });

  it("delay no other integration, not even at the same URL", async () => {
    useFakeTimers();
    const { merchant, records, worker, payAt } = await setUp("hold");
    for (let count = 0; count < 3; count++) await payAt(merchant.url, "other");
    for (let path = 0; path < 70; path++) await payAt(merchant.at(`/${path}`), "other");
    await merchant.waitFor(32);
    merchant.answerWith(200);
    await payAt(merchant.url, "shop");
    await worker.idle("shop");
    expect(records.deliveries.all().at(-1)).toMatchObject({ status: "delivered" });
    expect(merchant.received).toHaveLength(33);

    await merchant.close();
    await worker.idle(null);
  });

  it("make way for others with their origin after a while, up to a number", async () => {
    useFakeTimers();
    const { merchant, worker, payAt } = await setUp("hold");
    for (let path = 0; path < 100; path++) await payAt(merchant.at(`/${path}`));
    for (const count of [32, 64, 64]) {
      await merchant.waitFor(count);
      await turns(20);
      expect(merchant.received).toHaveLength(count);
      vi.advanceTimersByTime(1000);
    }

    await merchant.close();
    await worker.idle(null);
  });

  it("earn more places once they answer", async () => {
    const { merchant, worker, payAt } = await setUp();
    const open = deferred();
    let held = 0;
    merchant.answerWith(async (_received, index) => {
      if (index >= 40 && ++held === 64) open.resolve();
      if (index >= 40) await open.promise;
      return 200;
    });
    for (let path = 0; path < 120; path++) await payAt(merchant.at(`/${path}`));
    await worker.idle(null);
    expect(merchant.received).toHaveLength(120);
    expect(held).toBe(80);
  });
});

describe("a worker that is idle", () => {
  it("remembers nothing of 2,000 addresses that it had attempts for", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    // A gateway whose deliveries are gone by the time of their attempt.
    const gateway: Partial<Gateway> = {
      delivery: async () => undefined,
      deliveryNow: () => undefined,
    };
    const worker = new DeliveryWorker({
      gateway: gateway as Gateway,
      secretOf: () => SECRET,
      userAgent: "pix-sandbox/test",
      destinations: "all",
    });
    const long = "x".repeat(4000);
    const heapAfter = async (round: string): Promise<number> => {
      for (let order = 0; order < 2000; order++) {
        const url = `http://127.0.0.1:9/${long}/${round}/${order}`;
        worker.start(deliveryWith({ id: `evt_${order}`, url }));
      }
      await worker.idle(null);
      await turns();
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = await heapAfter("first");

    // Their texts alone would take 8 MB.
    expect((await heapAfter("second")) - before).toBeLessThan(3_000_000);
    await worker.stop();
  });

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
