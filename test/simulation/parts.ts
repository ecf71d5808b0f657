/** The parts of the gateway that run in a simulation: they are bundled from here, and never imported. */
export { Events } from "../../src/core/state/events.ts";
export { STANDARD_ASSUMPTIONS, withChanges } from "../../src/core/assumptions/table.ts";
export { Clock } from "../../src/core/time/clock.ts";
export { attemptsMade } from "../../src/core/records/delivery.ts";
export { GatewayError } from "../../src/core/records/errors.ts";
export { Gateway } from "../../src/core/operations/gateway.ts";
export { Ids } from "../../src/core/records/ids.ts";
export { StorageError } from "../../src/core/state/ports.ts";
export { ClockDriver } from "../../src/core/operations/clock-driver.ts";
export { DeliveryWorker } from "../../src/delivery/worker.ts";
export { RealTimer } from "../../src/server/start-up/timer.ts";
export { StateFileError } from "../../src/store/errors.ts";
export { Folder } from "../../src/store/file/folder.ts";
export { openStored } from "../../src/store/store.ts";
