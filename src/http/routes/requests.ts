import type { Call } from "../call.ts";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { readToken } from "../token.ts";
import { pageQuery, readQuery, toPage } from "../query.ts";
import { toWireRequest } from "../request-log.ts";

export const requestsQuery = pageQuery;

/** `GET /_sandbox/requests`: what the gateway was sent and what it answered, an integration's own or all, the oldest first. */
export function listRequests({ requests }: Context): (call: Call) => Promise<Answer> {
  return async (call) =>
    toPage(requests.page(readToken(call), readQuery(call, requestsQuery)), toWireRequest);
}
