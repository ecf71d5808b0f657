import type { ServerResponse } from "node:http";
import type { H3Event } from "h3";

/** Aborted once nobody waits for the answer any more. */
export function untilGone(event: H3Event): AbortSignal {
  const gone = new AbortController();
  const response = event.runtime?.node?.res as ServerResponse | undefined;
  response?.once("close", () => gone.abort());
  return gone.signal;
}
