import type { IncomingMessage } from "node:http";
import type { H3Event } from "h3";

/**
 * Whether a request has a header more than once, whose values then are joined with commas. In a `Request`
 * of this process they are joined before anybody sees them, and cannot be told from one value with commas.
 */
export function isRepeated(event: H3Event, name: string): boolean {
  const { rawHeaders = [] } = (event.runtime?.node?.req as IncomingMessage | undefined) ?? {};
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      count++;
  return count > 1;
}

/** The value of a request's header; null where there is none. Node has it ready, where Node received the request. */
export function readHeader(event: H3Event, name: string): string | null {
  const incoming = event.runtime?.node?.req as IncomingMessage | undefined;
  if (!incoming) return event.req.headers.get(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}
