/** The parts of the gateway that run in a simulation: they are bundled from here, and never imported. */
export { DueQueue } from "../../src/core/time/due-queue.ts";
export { STANDARD_ASSUMPTIONS, withChanges } from "../../src/core/assumptions/table.ts";
export { Clock } from "../../src/core/time/clock.ts";
export { attemptsMade } from "../../src/core/webhooks/delivery.ts";
export { GatewayError } from "../../src/core/errors.ts";
export { Outbox } from "../../src/core/webhooks/outbox.ts";
export { Gateway } from "../../src/core/gateway.ts";
export { Ids } from "../../src/core/payments/ids.ts";
export { StorageError } from "../../src/core/ports.ts";
export { ClockDriver } from "../../src/core/time/clock-driver.ts";
export { DeliveryWorker } from "../../src/delivery/worker.ts";
export { RealTimer } from "../../src/sandbox/timer.ts";
export { StateFileError } from "../../src/store/errors.ts";
export { openStateFile } from "../../src/store/state-file.ts";
