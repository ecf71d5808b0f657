import type { ServerResponse } from "node:http";
import type { H3Event } from "h3";

/** Calls `listener` once nobody waits for the answer any more, be it that it was given. */
export function whenGone(event: H3Event, listener: () => void): void {
  const response = event.runtime?.node?.res as ServerResponse | undefined;
  if (response?.closed) listener();
  else response?.once("close", listener);
}
