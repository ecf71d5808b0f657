import type { Gateway } from "../core/gateway.ts";
import { toWireEvent, type WireAttemptEvent } from "../core/wire.ts";

/** Calls `listener` after each webhook attempt from now on. @returns a function that removes the listener. */
export function onAttempt(
  gateway: Gateway,
  listener: (attempt: WireAttemptEvent) => void,
): () => void {
  let seen = gateway.lastEventNumber;
  return gateway.eventLog.onMore(() => {
    for (const event of gateway.eventLog.after(seen, Number.POSITIVE_INFINITY)) {
      seen = event.number;
      const { kind, data } = toWireEvent(event, (integration) =>
        gateway.assumptionsOf(integration),
      );
      if (kind === "attempt") listener(data);
    }
  });
}
