/** The parts of the gateway that run in a simulation: they are bundled from here, and never imported. */
export { Agenda } from "../../src/core/agenda.ts";
export { STANDARD_ASSUMPTIONS, withChanges } from "../../src/core/assumptions.ts";
export { Clock } from "../../src/core/clock.ts";
export { attemptsMade } from "../../src/core/delivery.ts";
export { GatewayError } from "../../src/core/errors.ts";
export { Gateway } from "../../src/core/gateway.ts";
export { Ids } from "../../src/core/ids.ts";
export { StorageError } from "../../src/core/ports.ts";
export { Timekeeper } from "../../src/core/timekeeper.ts";
export { DeliveryWorker } from "../../src/delivery/worker.ts";
export { RealAlarm } from "../../src/real-alarm.ts";
export { StateFileError } from "../../src/store/errors.ts";
export { openStateFile } from "../../src/store/state-file.ts";
