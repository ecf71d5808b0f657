import { readToken } from "../parse/headers.ts";
import { pageQuery, readQuery, toPage } from "../parse/query.ts";
import { toWireRequest } from "../request-log.ts";
import { defineRoute } from "../route.ts";
import { pageOf } from "../wire/members.ts";
import { request, requestExample } from "../wire/request.ts";

const requestPage = pageOf(request, {
  id: "RequestPage",
  description: "Requests in the order of their responses, the newest last.",
  example: requestExample,
});

export const routes = [
  defineRoute({
    path: "/_sandbox/requests",
    method: "GET",
    id: "listRequests",
    tag: "Sandbox",
    summary:
      "Lists the requests that the gateway received, and its responses. They are in memory only: a restart drops them.",
    caller: "integration",
    query: pageQuery,
    answer: requestPage,
    handle: async (call, { requests }) =>
      toPage(requests.page(readToken(call), readQuery(call, pageQuery)), toWireRequest),
  }),
];
