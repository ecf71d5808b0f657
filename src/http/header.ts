import type { IncomingMessage } from "node:http";
import type { H3Event } from "h3";

/** The value of a request's header; null where there is none. Node has it ready, where Node received the request. */
export function readHeader(event: H3Event, name: string): string | null {
  const incoming = event.runtime?.node?.req as IncomingMessage | undefined;
  if (!incoming) return event.req.headers.get(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}
