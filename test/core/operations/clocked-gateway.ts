import type { Assumptions } from "../../../src/core/assumptions/table.ts";
import type { ClockSetting } from "../../../src/core/time/clock.ts";
import { type Store, StorageError } from "../../../src/core/state/ports.ts";
import type { Change } from "../../../src/core/state/records.ts";
import { type TimedEvent, ClockDriver } from "../../../src/core/operations/clock-driver.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import {
  attemptResult,
  createGateway,
  FakeAlarm,
  FakeCourier,
  payinCall,
  START_MS,
  type TestGateway,
  createPayin,
} from "../../support/core.ts";
import { say } from "../../../src/text/message.ts";

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const FAILED = attemptResult({ status: null, error: "ECONNREFUSED", response: null });

/** A memory store that can be told to refuse changes, as one whose disk is full does. */
export class RefusingStore extends MemoryStore {
  isRefusing = false;

  override commit(change: Change): void {
    if (this.isRefusing) throw new StorageError(say`The disk is full.`);
    super.commit(change);
  }
}

interface Started extends TestGateway {
  readonly clockDriver: ClockDriver;
  readonly sender: FakeCourier;
  readonly timer: FakeAlarm;
}

export function start(
  assumptions: Partial<Assumptions> = {},
  parts: { store?: Store; setting?: ClockSetting; realNowMs?: () => number } = {},
): Started {
  const timer = new FakeAlarm();
  const sender: FakeCourier = new FakeCourier(() => made);
  const made = createGateway({
    ...parts,
    assumptions,
    startDelivery: (one) => sender.start(one),
    dropDeliveries: (integration) => sender.drop(integration),
  });
  const { clock, gateway } = made;
  const clockDriver = new ClockDriver({ clock, gateway, sender, timer });
  clockDriver.start();
  return { ...made, clockDriver, sender, timer };
}

/** The same on a clock that goes as the test moves `real`. */
export function realTime(
  store: Store = new MemoryStore(),
): Started & { readonly real: { nowMs: number } } {
  const real = { nowMs: START_MS };
  const setting: ClockSetting = { mode: "real", offsetMs: 0 };
  return { ...start({}, { store, setting, realNowMs: () => real.nowMs }), real };
}

export async function payPayin(
  gateway: TestGateway["gateway"],
  integration = "shop",
): Promise<void> {
  const { record } = await createPayin(
    gateway,
    payinCall({ integration, draft: { expiration: 172_800 } }),
  );
  await gateway.move(integration, "payin", record.id, "pay");
}

export function secondsOf({ atMs }: TimedEvent): number {
  return (atMs - START_MS) / SECOND;
}
