import type { H3Event } from "h3";
import type { Context } from "../context.ts";
import { readToken } from "../headers.ts";
import { pageQuery, readQuery, toPage } from "../query.ts";
import { toWireRequest } from "../request-log.ts";

export const requestsQuery = pageQuery;

/** `GET /_sandbox/requests`: what the gateway was sent and what it answered, an integration's own or all, the oldest first. */
export function listRequests({ requests }: Context): (event: H3Event) => Promise<Response> {
  return async (event) =>
    toPage(requests.page(readToken(event), readQuery(event, requestsQuery)), toWireRequest);
}
