import { afterEach, vi } from "vitest";
import type { Lease } from "../../../src/core/state/ports.ts";
import type { Delivery } from "../../../src/core/records/delivery.ts";
import type { Records } from "../../../src/core/state/records.ts";
import type { Destinations } from "../../../src/delivery/destinations.ts";
import { DeliveryWorker } from "../../../src/delivery/worker.ts";
import {
  createGateway,
  HeldStore,
  payinCall,
  type TestGateway,
  createPayin,
} from "../../support/core.ts";
import {
  type Answer,
  type Answering,
  type Merchant,
  type Received,
  startMerchant,
} from "../../support/merchant.ts";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export const stopping: (() => Promise<void>)[] = [];

interface SetUp extends TestGateway {
  readonly store: HeldStore;
  readonly merchant: Merchant;
  readonly worker: DeliveryWorker;
  pay(): Promise<void>;
  payAt(webhook_url: string, integration?: string): Promise<void>;
  /** Moves the clock, and lets what is due begin and end. */
  advance(seconds: number): Promise<void>;
}

/** Timers go as the test moves them; sockets stay as they are. */
export function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

/** The first delivery, as it now is. */
export function theDelivery(records: Records): Delivery {
  const [first] = records.deliveries.all();
  if (!first) throw new Error("There is no delivery.");
  return first;
}

export function idsOf(received: readonly Received[]): (string | undefined)[] {
  return received.map(({ headers }) => headers["webhook-id"]);
}

/** The ids of all that goes to an address, in the order of their events. */
export function idsSentTo(records: Records, to: string): string[] {
  return records.deliveries.all().flatMap(({ id, url }) => (url === to ? [id] : []));
}

export async function merchantThat(
  answer: Parameters<Merchant["answerWith"]>[0],
): Promise<Merchant> {
  const merchant = await startMerchant({ answer });
  stopping.push(() => merchant.close());
  return merchant;
}

export async function setUp(
  answer: Answer | Answering = 200,
  destinations: Destinations = "all",
  lease?: Lease,
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
    lease,
  });
  stopping.unshift(() => {
    store.letGo();
    return worker.stop();
  });
  const payAt = async (webhook_url: string, integration = "shop"): Promise<void> => {
    const { record } = await createPayin(
      gateway,
      payinCall({ integration, draft: { webhook_url } }),
    );
    await gateway.move(integration, "payin", record.id, "pay");
    gateway.due.run();
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
      gateway.due.run();
      await worker.idle(null);
    },
  };
}

export function useWorkers(): void {
  afterEach(async () => {
    vi.useRealTimers();
    for (const stop of stopping.splice(0)) await stop();
  });
}
