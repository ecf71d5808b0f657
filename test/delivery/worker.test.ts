import { afterEach, describe, expect, it } from "vitest";
import type { Delivery } from "../../src/core/delivery.ts";
import { DeliveryWorker } from "../../src/delivery/worker.ts";
import {
  createGateway,
  deferred,
  HeldStore,
  payinCall,
  START_MS,
  type TestGateway,
  turns,
} from "../support/core.ts";
import { type Answering, type Merchant, startMerchant, verified } from "../support/merchant.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const stopping: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

describe("a webhook", () => {
  it("is not sent before what it tells of is durable", async () => {
    const { merchant, store, worker, gateway } = await setUp();
    const { record } = await gateway.createPayin(
      payinCall({ draft: { webhookUrl: merchant.url } }),
    );
    store.hold();
    const paid = gateway.movePayin("shop", record.id, "pay");
    gateway.catchUp();
    await turns(20);
    expect(merchant.received).toEqual([]);

    store.release();
    await paid;
    await merchant.waitFor(1);
    store.letGo();
    await worker.idle();
  });

  it("carries the recorded bytes, signed, and says who sent it", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle();

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
    await worker.idle();
    for (const seconds of [1, 5]) await advance(seconds);

    expect(merchant.received).toHaveLength(3);
    expect(new Set(merchant.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(merchant.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(records.deliveries.all()).toMatchObject([{ status: "delivered" }]);
  });

  it("is tried again though its retry falls due before the attempt before is durable", async () => {
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
    gateway.catchUp();
    store.letGo();
    await worker.idle();
    gateway.catchUp();
    await worker.idle();
    expect(merchant.received).toHaveLength(2);
  });

  it("is sent once, however often it is begun", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    for (const delivery of records.deliveries.all()) {
      worker.start(delivery);
      worker.start(delivery);
    }
    await worker.idle();

    expect(merchant.received).toHaveLength(1);
  });
});

describe("webhooks to one address", () => {
  it("leave in the order of their events, though the first is answered last", async () => {
    const first = deferred();
    const { merchant, records, worker, pay } = await setUp(async (_received, index) => {
      if (index === 0) await first.promise;
      return 200;
    });
    for (let count = 0; count < 5; count++) await pay();
    await merchant.waitFor(1);
    first.resolve();
    await worker.idle();

    const ids = merchant.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toEqual(records.deliveries.all().map(({ id }) => id));
  });

  it("are not held back by one that failed", async () => {
    const { merchant, records, worker, pay } = await setUp((_received, index) =>
      index === 0 ? "reset" : 200,
    );
    for (let count = 0; count < 3; count++) await pay();
    await worker.idle();

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
    await worker.idle();
    expect(warnings).toEqual([]);
  });
});

describe("a worker that is stopped", () => {
  it("begins no more attempts, and leaves what is pending as it is", async () => {
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

  it("records no failure of an attempt that it cut short", async () => {
    const { merchant, records, worker, pay } = await setUp("hold");
    await pay();
    await merchant.waitFor(1);
    await worker.stop();

    expect(records.deliveries.all()).toMatchObject([{ status: "pending", attempts: [] }]);
    expect(records.deliveries.all()[0]?.nextAttemptAtMs).toBe(START_MS);
  });
});

interface SetUp extends TestGateway {
  readonly store: HeldStore;
  readonly merchant: Merchant;
  readonly worker: DeliveryWorker;
  pay(): Promise<void>;
  payAt(webhookUrl: string): Promise<void>;
  /** Moves the clock, and lets what is due begin and end. */
  advance(seconds: number): Promise<void>;
}

async function merchantThat(answer: Parameters<Merchant["answerWith"]>[0]): Promise<Merchant> {
  const merchant = await startMerchant({ answer });
  stopping.push(() => merchant.close());
  return merchant;
}

async function setUp(answer: Answering | "hold" = () => 200): Promise<SetUp> {
  const merchant = await merchantThat(answer);
  const store = new HeldStore();
  const made = createGateway({ store, startDelivery: (one: Delivery) => worker.start(one) });
  const { gateway, clock } = made;
  const worker: DeliveryWorker = new DeliveryWorker({
    gateway,
    secret: SECRET,
    userAgent: "pix-sandbox/test",
  });
  stopping.unshift(() => {
    store.letGo();
    return worker.stop();
  });
  const payAt = async (webhookUrl: string): Promise<void> => {
    const { record } = await gateway.createPayin(payinCall({ draft: { webhookUrl } }));
    await gateway.movePayin("shop", record.id, "pay");
    gateway.catchUp();
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
      gateway.catchUp();
      await worker.idle();
    },
  };
}
