import { once } from "node:events";
import http from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Delivery } from "../../../src/core/records/delivery.ts";
import type { Gateway } from "../../../src/core/operations/gateway.ts";
import { StorageError } from "../../../src/core/state/ports.ts";
import type { Records } from "../../../src/core/state/records.ts";
import type { Destinations } from "../../../src/delivery/sender.ts";
import { DeliveryWorker } from "../../../src/delivery/worker.ts";
import {
  createGateway,
  deferred,
  delivery as deliveryWith,
  HeldStore,
  payinCall,
  START_MS,
  type TestGateway,
  turns,
  watch,
} from "../../support/core.ts";
import { freePort } from "../../support/process.ts";
import {
  type Answer,
  type Answering,
  type Merchant,
  type Received,
  startMerchant,
  verified,
} from "../../support/merchant.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const stopping: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const stop of stopping.splice(0)) await stop();
});

describe("a webhook", () => {
  it("is not sent before the event that it reports is durable", async () => {
    const { merchant, store, worker, gateway } = await setUp();
    const { record } = await gateway.createPayin(
      payinCall({ draft: { webhookUrl: merchant.url } }),
    );
    store.hold();
    const paid = gateway.movePayin("shop", record.id, "pay");
    gateway.catchUp.run();
    await turns(20);
    expect(merchant.received).toEqual([]);

    store.release();
    await paid;
    await merchant.waitFor(1);
    store.letGo();
    await worker.idle(null);
  });

  it("waits for the disk before it is sent, not before it is refused", async () => {
    const { store, worker, gateway, records, payAt } = await setUp();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hook`;
    await payAt(url);
    await worker.idle(null);
    const attempts = (index: number) => records.deliveries.all()[index]?.attempts;
    expect(attempts(0)).toHaveLength(1);

    store.hold();
    const paid = [payAt(url), payAt(url)];
    while (records.payins.all().length < 3) await turns(1);
    store.release();
    while (records.deliveries.all().length < 3) await turns(1);
    gateway.catchUp.run();
    await worker.underWay();
    for (const index of [1, 2])
      expect(attempts(index)).toMatchObject([{ error: `ECONNREFUSED 127.0.0.1:${port}` }]);

    const bodies: string[] = [];
    const server = http.createServer((request, response) => {
      bodies.push(String(request.headers["webhook-id"]));
      response.end();
    });
    await once(server.listen(port, "127.0.0.1"), "listening");
    stopping.push(async () => void server.close());
    const [, second, third] = records.deliveries.all();
    const resent = [second, third].map((one) => worker.resend(one as Delivery));
    const connected = once(server, "connection");
    await connected;
    await turns(20);
    expect(bodies).toEqual([]);

    store.fail(new StorageError({ en: "full", pt: "cheio" }));
    const ended = await Promise.allSettled([...paid, ...resent]);
    expect(ended.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    expect(bodies).toEqual([]);
    expect(attempts(1)).toHaveLength(1);
    store.letGo();
    await worker.resend(second as Delivery);
    expect(bodies).toEqual([second?.id]);
  });

  it("carries the recorded bytes, signed, with a user agent", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);

    const [received] = merchant.received;
    const [delivery] = records.deliveries.all();
    expect(received?.body).toBe(delivery?.body);
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "pix-sandbox/test",
      "webhook-id": delivery?.id,
    });
    expect(received && verified(received, SECRET)).toMatchObject({ type: "payin.paid" });
    expect(delivery?.attempts).toMatchObject([
      { status: 200, error: null, signature: received?.headers["webhook-signature"] },
    ]);
  });

  it("is tried again with the same id and the same bytes", async () => {
    const { merchant, records, worker, advance, pay } = await setUp((_received, index) =>
      index < 2 ? 500 : 200,
    );
    await pay();
    await worker.idle(null);
    for (const seconds of [1, 5]) await advance(seconds);

    expect(merchant.received).toHaveLength(3);
    expect(new Set(merchant.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(merchant.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(records.deliveries.all()).toMatchObject([{ status: "delivered" }]);
  });

  it("is retried before the previous attempt is durable", async () => {
    const { merchant, store, worker, clock, gateway, pay } = await setUp((_received, index) =>
      index < 1 ? 500 : 200,
    );
    await pay();
    await merchant.waitFor(1);
    store.hold();
    const [delivery] = store.records.deliveries.all();
    const attempts = () => store.records.deliveries.get(delivery?.id ?? "")?.attempts.length;
    while (attempts() === 0) await turns(1);

    clock.moveTo(START_MS + 1000);
    gateway.catchUp.run();
    await merchant.waitFor(2);
    while (attempts() === 1) await turns(1);
    store.letGo();
    await worker.idle(null);
    expect(merchant.received).toHaveLength(2);
  });

  it("is sent once, however often it is begun", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    for (const delivery of records.deliveries.all()) {
      worker.start(delivery);
      worker.start(delivery);
    }
    await worker.idle(null);

    expect(merchant.received).toHaveLength(1);
  });

  it("is not sent if its attempt was made meanwhile", async () => {
    const { merchant, records, worker, advance, pay } = await setUp(500);
    await pay();
    await worker.idle(null);
    const [asItWas] = records.deliveries.all();
    await advance(1);
    expect(merchant.received).toHaveLength(2);
    if (asItWas) worker.start(asItWas);
    await worker.idle(null);

    expect(merchant.received).toHaveLength(2);
  });

  it("is not sent if it was removed meanwhile", async () => {
    useFakeTimers();
    const { merchant, records, worker, gateway, payAt } = await setUp();
    const first = deferred();
    merchant.answerWith(async () => {
      await first.promise;
      return 200;
    });
    await payAt(merchant.url);
    await payAt(merchant.url);
    await merchant.waitFor(1);
    const [, second] = records.deliveries.all();
    records.deliveries.remove(second?.id ?? "");
    first.resolve();
    await worker.idle(null);

    expect(merchant.received).toHaveLength(1);
    expect(await gateway.delivery(second?.id ?? "")).toBeUndefined();
  });

  it("is recorded with the response's retry-after and its redirect", async () => {
    const { records, worker, pay } = await setUp(() => ({
      status: 307,
      headers: { location: "/elsewhere", "retry-after": "60" },
      body: "later",
    }));
    await pay();
    await worker.idle(null);

    expect(records.deliveries.all()).toMatchObject([
      {
        status: "pending",
        nextAttemptAtMs: START_MS + 60_000,
        attempts: [
          {
            status: 307,
            response: "later",
            location: "/elsewhere",
            retryAfterMs: 60_000,
            left: { status: "pending", nextAttemptAtMs: START_MS + 60_000 },
          },
        ],
      },
    ]);
    expect(records.deliveries.all()[0]?.attempts[0]).not.toHaveProperty("isResend");
  });

  it("has no signature with webhook.signature=none", async () => {
    const { merchant, gateway, records, worker, pay } = await setUp();
    await gateway.changeAssumptions(null, { "webhook.signature": "none" });
    await pay();
    await worker.idle(null);

    expect(Object.keys(merchant.received[0]?.headers ?? {})).not.toContain("webhook-signature");
    expect(records.deliveries.all()).toMatchObject([{ attempts: [{ signature: null }] }]);
  });

  it("is sent only to this machine if only that is allowed", async () => {
    const { records, worker, payAt } = await setUp(200, "loopback");
    await payAt("http://192.0.2.1/hook");
    await worker.idle(null);

    expect(records.deliveries.all()).toMatchObject([
      { attempts: [{ status: null, error: expect.stringContaining("--webhook-allow loopback") }] },
    ]);
  });
});

describe("a webhook whose keep-alive connection is reset while it is sent", () => {
  it("is sent again at once over a new one, and each request is an attempt", async () => {
    const { merchant, records, worker, pay } = await setUp((_received, index) =>
      index === 1 ? "reset" : 200,
    );
    await pay();
    await worker.idle(null);
    await pay();
    await worker.idle(null);

    expect(merchant.received).toHaveLength(3);
    const [, second] = records.deliveries.all();
    expect(second).toMatchObject({
      status: "delivered",
      attempts: [
        {
          status: null,
          error: expect.stringContaining("the receiver closed the kept connection") as string,
          isStaleConnection: true,
          left: { status: "pending", nextAttemptAtMs: START_MS },
        },
        { status: 200, left: { status: "delivered", nextAttemptAtMs: null } },
      ],
    });
    const [, ...sent] = merchant.received;
    expect(sent.map(({ body }) => body)).toEqual([second?.body, second?.body]);
    expect(sent.map(({ headers }) => headers["webhook-signature"])).toEqual(
      second?.attempts.map(({ signature }) => signature),
    );
  });

  it("stays in the order of events, and gets all attempts of its retry schedule", async () => {
    const { merchant, records, worker, pay, advance } = await setUp();
    await pay();
    await worker.idle(null);
    merchant.answerWith("reset");
    await pay();
    await pay();
    await worker.idle(null);
    const [, second, third] = idsSentTo(records, merchant.url);
    expect(idsOf(merchant.received).slice(1)).toEqual([second, second, third]);

    for (const seconds of [1, 5, 25]) await advance(seconds);
    expect(records.deliveries.all().map(({ status }) => status)).toEqual([
      "delivered",
      "failed",
      "failed",
    ]);
    expect(records.deliveries.all().map(({ attempts }) => attempts.length)).toEqual([1, 5, 4]);
  });

  it("is recorded as sent twice by a resend too", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    merchant.answerWith((_received, index) => (index === 1 ? "reset" : 200));
    await worker.resend(theDelivery(records));

    expect(theDelivery(records)).toMatchObject({
      status: "delivered",
      attempts: [
        { status: 200 },
        { status: null, isResend: true, isStaleConnection: true },
        { status: 200, isResend: true },
      ],
    });
    expect(merchant.received).toHaveLength(3);
  });
});

describe("a resend", () => {
  it("has the same id and the same bytes, and is recorded as one", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    await worker.resend(theDelivery(records));

    const [first, second] = merchant.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second && verified(second, SECRET)).toMatchObject({ type: "payin.paid" });
    expect(records.deliveries.all()).toMatchObject([
      { status: "delivered", attempts: [{ status: 200 }, { status: 200, isResend: true }] },
    ]);
  });

  it("is recorded once it resolves, whatever the answer", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    // What resets a kept connection is asked once more over a new one.
    for (const [answer, requests] of [
      [500, 1],
      ["reset", 2],
      [410, 1],
      [200, 1],
    ] as const) {
      merchant.answerWith(answer);
      const { attempts } = theDelivery(records);
      await worker.resend(theDelivery(records));
      expect(theDelivery(records).attempts).toHaveLength(attempts.length + requests);
    }
    expect(merchant.received).toHaveLength(theDelivery(records).attempts.length);

    expect(theDelivery(records).status).toBe("delivered");
  });

  it("goes out after an attempt that is under way, and not beside it", async () => {
    const first = deferred();
    const { merchant, records, worker, pay } = await setUp(async (_received, index) => {
      if (index > 0) return 200;
      await first.promise;
      return 500;
    });
    await pay();
    await merchant.waitFor(1);
    const resends = [1, 2].map(() => worker.resend(theDelivery(records)));
    await turns(20);
    expect(merchant.received).toHaveLength(1);

    first.resolve();
    await Promise.all(resends);
    expect(theDelivery(records)).toMatchObject({
      status: "delivered",
      attempts: [{ status: 500 }, { status: 200, isResend: true }, { status: 200, isResend: true }],
    });
    expect(merchant.received).toHaveLength(3);
  });

  it("that is under way when the next attempt falls due comes before it, and spares it", async () => {
    const resent = deferred();
    const { merchant, records, worker, gateway, clock, pay } = await setUp(
      async (_received, index) => {
        if (index === 0) return 500;
        await resent.promise;
        return 200;
      },
    );
    await pay();
    await worker.idle(null);
    const isOver = worker.resend(theDelivery(records));
    await merchant.waitFor(2);
    clock.moveTo(START_MS + 1000);
    gateway.catchUp.run();
    await turns(20);
    expect(merchant.received).toHaveLength(2);

    resent.resolve();
    await isOver;
    await worker.idle(null);
    expect(theDelivery(records)).toMatchObject({ status: "delivered", nextAttemptAtMs: null });
    expect(merchant.received).toHaveLength(2);
  });

  it("of one that is pending leaves the retries as they are: one each, each at its time", async () => {
    const { merchant, records, worker, advance, pay } = await setUp(500);
    await pay();
    await worker.idle(null);
    for (let count = 0; count < 3; count++) await worker.resend(theDelivery(records));
    expect(theDelivery(records)).toMatchObject({
      status: "pending",
      nextAttemptAtMs: START_MS + 1000,
    });

    const counts: number[] = [];
    for (const seconds of [1, 5, 25, 1000]) {
      await worker.resend(theDelivery(records));
      await advance(seconds);
      counts.push(theDelivery(records).attempts.filter(({ isResend }) => !isResend).length);
    }
    expect(counts).toEqual([2, 3, 4, 4]);
    expect(theDelivery(records).status).toBe("failed");
    expect(merchant.received).toHaveLength(1 + 3 + 4 + 3);
  });

  it("of one whose first attempt has not begun leaves it its first attempt", async () => {
    const { merchant, records, worker, gateway } = await setUp(500);
    const { record } = await gateway.createPayin(
      payinCall({ draft: { webhookUrl: merchant.url } }),
    );
    await gateway.movePayin("shop", record.id, "pay");
    await worker.resend(theDelivery(records));
    await worker.idle(null);
    gateway.catchUp.run();
    await worker.idle(null);

    expect(
      theDelivery(records)
        .attempts.map(({ isResend }) => isResend ?? false)
        .toSorted(),
    ).toEqual([false, true]);
  });

  it("reports that it could not be recorded, and delays nothing", async () => {
    const { merchant, store, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    merchant.answerWith(() => {
      store.hold();
      return 200;
    });
    const resent = worker.resend(theDelivery(records));
    const refused = resent.catch((error: unknown) => error);
    while (theDelivery(records).attempts.length < 2) await turns(1);
    await turns(1);
    store.fail(new StorageError({ en: "The disk is full.", pt: "O disco está cheio." }));
    expect(await refused).toBeInstanceOf(StorageError);

    merchant.answerWith(200);
    store.letGo();
    await worker.idle(null);
    await worker.resend(theDelivery(records));
    expect(merchant.received).toHaveLength(3);
  });
});

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

  it("delay no path of theirs that answered last time, however many hang", async () => {
    useFakeTimers();
    const { merchant, worker, payAt } = await setUp(hangBut("/healthy"));
    const isHealthy = ({ path }: Received): boolean => path === "/healthy";
    await payAt(merchant.at("/healthy"));
    await worker.idle(null);
    for (let path = 0; path < 100; path++) await payAt(merchant.at(`/${path}`));
    await merchant.waitFor(33);
    await payAt(merchant.at("/healthy"));
    await merchant.waitFor(2, isHealthy);

    await merchant.close();
    await worker.idle(null);
  });

  it("delay a path that answered once, but not last time", async () => {
    useFakeTimers();
    const { merchant, worker, payAt } = await setUp();
    const isOnce = ({ path }: Received): boolean => path === "/once";
    for (const answer of [200, "reset"] as const) {
      merchant.answerWith(answer);
      await payAt(merchant.at("/once"));
      await worker.idle(null);
    }
    const before = merchant.received.filter(isOnce).length;
    merchant.answerWith(hangBut("/once"));
    for (let path = 0; path < 32; path++) await payAt(merchant.at(`/${path}`));
    await payAt(merchant.at("/once"));
    await merchant.waitFor(before + 32);
    await turns(20);
    expect(merchant.received.filter(isOnce)).toHaveLength(before);

    vi.advanceTimersByTime(1000);
    await merchant.waitFor(before + 1, isOnce);
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

describe("a worker that is stopped", () => {
  it("starts no more attempts, and leaves pending deliveries unchanged", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await worker.stop();
    await pay();
    await turns(20);

    expect(merchant.received).toEqual([]);
    expect(records.deliveries.all()).toMatchObject([{ status: "pending", attempts: [] }]);
  });

  it("lets the attempt in flight end, and records it", async () => {
    const answer = deferred();
    const { merchant, records, worker, pay } = await setUp(async () => {
      await answer.promise;
      return 200;
    });
    await pay();
    await merchant.waitFor(1);
    const stopped = worker.stop();
    answer.resolve();
    await stopped;

    expect(records.deliveries.all()).toMatchObject([{ status: "delivered" }]);
  });

  it("gives it a moment, then cuts it short and records nothing of it", async () => {
    useFakeTimers();
    const { merchant, records, worker, pay } = await setUp("hold");
    await pay();
    await merchant.waitFor(1);
    const stopped = worker.stop();
    const state = watch(stopped);
    vi.advanceTimersByTime(999);
    await turns(20);
    expect(state.isSettled).toBe(false);
    vi.advanceTimersByTime(1);
    await stopped;

    expect(records.deliveries.all()).toMatchObject([
      { status: "pending", attempts: [], nextAttemptAtMs: START_MS },
    ]);
  });

  it("records the answer to one of two sent at once though the other is cut short", async () => {
    useFakeTimers();
    const { gateway, merchant, records, worker } = await setUp((_received, index) =>
      index === 0 ? 200 : "hold",
    );
    await startTwice({ gateway, worker, url: merchant.url });
    await merchant.waitFor(2);
    await turns(20);
    const stopped = worker.stop();
    vi.advanceTimersByTime(1000);
    await stopped;

    expect(records.deliveries.all()).toMatchObject([
      { status: "delivered", attempts: [{ status: 200 }] },
    ]);
  });

  it("begins none of those that wait in line, and cuts short a resend too", async () => {
    useFakeTimers();
    const { merchant, records, worker, pay, payAt } = await setUp();
    await payAt(merchant.at("/resent"));
    await worker.idle(null);
    merchant.answerWith("hold");
    const resent = worker.resend(theDelivery(records));
    await merchant.waitFor(2);
    for (let count = 0; count < 3; count++) await pay();
    await merchant.waitFor(3);
    const stopped = worker.stop();
    vi.advanceTimersByTime(1000);
    await Promise.all([stopped, resent]);

    expect(merchant.received).toHaveLength(3);
    expect(records.deliveries.all().map(({ attempts }) => attempts.length)).toEqual([1, 0, 0, 0]);
  });

  it("resends nothing", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    await worker.stop();
    await worker.resend(theDelivery(records));

    expect(merchant.received).toHaveLength(1);
  });

  it("resolves at once if nothing is in flight", async () => {
    useFakeTimers();
    const { worker } = await setUp();
    await worker.stop();

    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a worker that drops", () => {
  it("ends what is in flight and sends nothing of what waits, and records nothing of it", async () => {
    const { gateway, merchant, worker, records, pay } = await setUp("hold");
    for (let count = 0; count < 5; count++) await pay();
    await merchant.waitFor(1);
    const before = records.deliveries.all();
    worker.drop("shop");
    await worker.idle(null);
    merchant.answerWith(200);
    await pay();
    await merchant.waitFor(2);
    await worker.idle(null);

    // The one that was in flight, and the one that came after: those behind the first never left.
    expect(merchant.received).toHaveLength(2);
    expect(records.deliveries.all().slice(0, 5)).toEqual(before);
    expect(gateway.lastEventNumber).toBeGreaterThan(0);
  });

  it("does not affect another integration's, even to the same address", async () => {
    const { merchant, worker, records, payAt } = await setUp("hold");
    const released = deferred<number>();
    merchant.answerWith(() => released.promise);
    await payAt(merchant.url, "shop");
    await payAt(merchant.url, "other");
    await merchant.waitFor(2);
    worker.drop("shop");
    released.resolve(200);
    await worker.idle(null);

    expect(records.deliveries.all().map(({ status }) => status)).toEqual(["pending", "delivered"]);
  });

  it("does not take one that comes in its place, with its id, for the one it dropped", async () => {
    const { gateway, merchant, worker, records, pay } = await setUp("hold");
    const rows = await gateway.rowsOf(null);
    await pay();
    await merchant.waitFor(1);
    const [old] = records.deliveries.all();
    worker.drop(null);
    await gateway.replace(null, () => rows);
    merchant.answerWith(204);
    await pay();
    await worker.idle(null);

    const [fresh] = records.deliveries.all();
    expect(fresh?.id).toBe(old?.id);
    expect(fresh?.attempts.map(({ status }) => status)).toEqual([204]);
    expect(idsOf(merchant.received)).toEqual([old?.id, old?.id]);
  });

  it("records the first of two sent at once, and not the second that it ended", async () => {
    const { gateway, merchant, records, worker } = await setUp((_received, index) =>
      index === 1 ? 200 : "hold",
    );
    await startTwice({ gateway, worker, url: merchant.url });
    await merchant.waitFor(2);
    while (theDelivery(records).attempts.length === 0) await turns(1);
    worker.drop(null);
    await worker.idle(null);
    await turns(20);

    expect(theDelivery(records)).toMatchObject({
      status: "delivered",
      attempts: [{ status: 200 }],
    });
  });

  it("records nothing of an attempt that was being sent again when it was dropped", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    merchant.answerWith((_received, index) => (index === 1 ? "reset" : "hold"));
    await pay();
    await merchant.waitFor(3);
    worker.drop(null);
    await worker.idle(null);
    await turns(20);

    expect(records.deliveries.all()[1]?.attempts).toEqual([]);
  });

  it("answers a resend that it dropped, without a record of it", async () => {
    const { merchant, worker, records, pay } = await setUp();
    await pay();
    await worker.idle(null);
    merchant.answerWith("hold");
    const resent = worker.resend(theDelivery(records));
    await merchant.waitFor(2);
    worker.drop(null);
    await resent;
    expect(theDelivery(records).attempts).toHaveLength(1);
  });
});

interface SetUp extends TestGateway {
  readonly store: HeldStore;
  readonly merchant: Merchant;
  readonly worker: DeliveryWorker;
  pay(): Promise<void>;
  payAt(webhookUrl: string, integration?: string): Promise<void>;
  /** Moves the clock, and lets what is due begin and end. */
  advance(seconds: number): Promise<void>;
}

/** Timers go as the test moves them; sockets stay as they are. */
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

/** The first delivery, as it now is. */
function theDelivery(records: Records): Delivery {
  const [first] = records.deliveries.all();
  if (!first) throw new Error("There is no delivery.");
  return first;
}

/** Begins a delivery whose first attempt is sent twice at once. */
async function startTwice({
  gateway,
  worker,
  url,
}: {
  gateway: Gateway;
  worker: DeliveryWorker;
  url: string;
}): Promise<void> {
  const twice = deliveryWith({ url, fault: { kind: "duplicate_at_once" } });
  await gateway.put({ deliveries: [twice] });
  worker.start(twice);
}

/** Answers 200 at one path, and never at any other. */
function hangBut(healthy: string): Answering {
  return ({ path }) => (path === healthy ? 200 : "hold");
}

function idsOf(received: readonly Received[]): (string | undefined)[] {
  return received.map(({ headers }) => headers["webhook-id"]);
}

/** The ids of all that goes to an address, in the order of their events. */
function idsSentTo(records: Records, to: string): string[] {
  return records.deliveries.all().flatMap(({ id, url }) => (url === to ? [id] : []));
}

async function merchantThat(answer: Parameters<Merchant["answerWith"]>[0]): Promise<Merchant> {
  const merchant = await startMerchant({ answer });
  stopping.push(() => merchant.close());
  return merchant;
}

async function setUp(
  answer: Answer | Answering = 200,
  destinations: Destinations = "all",
): Promise<SetUp> {
  const merchant = await merchantThat(answer);
  const store = new HeldStore();
  const made = createGateway({ store, startDelivery: (one: Delivery) => worker.start(one) });
  const { gateway, clock } = made;
  const worker: DeliveryWorker = new DeliveryWorker({
    gateway,
    secretOf: () => SECRET,
    userAgent: "pix-sandbox/test",
    destinations,
  });
  stopping.unshift(() => {
    store.letGo();
    return worker.stop();
  });
  const payAt = async (webhookUrl: string, integration = "shop"): Promise<void> => {
    const { record } = await gateway.createPayin(payinCall({ integration, draft: { webhookUrl } }));
    await gateway.movePayin(integration, record.id, "pay");
    gateway.catchUp.run();
  };
  return {
    ...made,
    store,
    merchant,
    worker,
    payAt,
    pay: () => payAt(merchant.url),
    advance: async (seconds) => {
      clock.moveTo(clock.nowMs() + seconds * 1000);
      gateway.catchUp.run();
      await worker.idle(null);
    },
  };
}
