import { hash } from "node:crypto";
import path from "node:path";
import type { AssumptionChanges } from "../../src/core/assumptions/table.ts";
import type { Clock } from "../../src/core/time/clock.ts";
import type { Gateway } from "../../src/core/operations/gateway.ts";
import type { Store } from "../../src/core/state/ports.ts";
import type { ClockDriver } from "../../src/core/operations/clock-driver.ts";
import type { DeliveryWorker } from "../../src/delivery/worker.ts";
import type { SimulatedDisk } from "../support/disk.ts";
import type { System } from "./system.ts";
import type { SimulatedTime } from "./time.ts";
import type { Message } from "../../src/text/message.ts";

export const FILE = path.resolve("/simulated/state.json");

/** One process of the gateway, joined as `startSandbox` joins it, but for what listens on a port. */
export interface Life {
  readonly disk: SimulatedDisk;
  readonly store: Store;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly worker: DeliveryWorker;
  readonly clockDriver: ClockDriver;
  /** Ends it in good order. */
  close(): Promise<void>;
}

/**
 * Opens the state and begins.
 * @param look has a look at the records as they were found
 */
export async function beginLife(
  { parts }: System,
  disk: SimulatedDisk,
  {
    time,
    assumptions,
    report,
    look,
    journalBytes,
  }: {
    readonly time: SimulatedTime;
    readonly assumptions: AssumptionChanges;
    readonly report: (text: Message) => void;
    readonly look: (store: Store) => void;
    readonly journalBytes: number;
  },
): Promise<Life> {
  const { Clock, DeliveryWorker, Gateway, Ids, RealTimer, ClockDriver } = parts;
  const { store } = await parts.openStored(new parts.Folder(disk, FILE, report), {
    timer: new RealTimer(),
    report,
    logBytes: journalBytes,
  });
  look(store);
  const clock = new Clock(() => time.nowMs, settingOf(store, time.nowMs));
  const closing = new AbortController();
  const gateway = new Gateway({
    store,
    clock,
    ids: new Ids((text) => hash("sha512", text, "hex"), "seed"),
    assumptions: parts.withChanges(parts.STANDARD_ASSUMPTIONS, assumptions),
    brCode: { locationBase: "pix-sandbox.example", city: "" },
    closing: closing.signal,
    events: new parts.Events(),
  });
  const worker = new DeliveryWorker({
    gateway,
    secretOf: () => SECRET,
    userAgent: "simulation",
    destinations: "all",
  });
  gateway.sender = worker;
  const timer = new RealTimer();
  const clockDriver = new ClockDriver(gateway, worker, timer);
  if (!store.records.identity) store.commit([["identity", { seed: "seed", secret: SECRET }]]);
  await gateway.storeClock();
  clockDriver.start();
  const close = async (): Promise<void> => {
    closing.abort();
    clockDriver.stop();
    await worker.stop();
    await gateway.storeClock().catch(() => undefined);
    await store.close();
  };
  return { disk, store, clock, gateway, worker, clockDriver, close };
}

const SECRET = "whsec_c2ltdWxhdGlvbg==";

/** As `serve` without a word about the clock has it: time goes on from where it was. */
function settingOf({ records: { clock } }: Store, nowMs: number) {
  const offsetMs =
    clock?.mode === "frozen" ? Math.max(0, clock.nowMs - nowMs) : (clock?.offsetMs ?? 0);
  return { mode: "real", offsetMs } as const;
}
