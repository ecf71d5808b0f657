import { LIST_REQUESTS } from "../../core/state/wire-routes.ts";
import { readToken } from "../calls/headers.ts";
import { listQuery, PAGE, readQuery, toPage } from "../parse/query.ts";
import { toWireRequest } from "../context/request-log.ts";
import { defineRoute } from "../definitions/route.ts";
import { pageOf } from "../schemas/members.ts";
import { request, requestExample } from "../schemas/request.ts";

const query = listQuery(PAGE);

const requestPage = pageOf(request, {
  id: "RequestPage",
  description: "Requests in the order of their responses, the newest last.",
  example: requestExample,
});

export const routes = [
  defineRoute({
    at: LIST_REQUESTS,
    id: "listRequests",
    tag: "Sandbox",
    summary:
      "Lists the requests that the gateway received, and its responses. They are in memory only: a restart drops them.",
    caller: "integration",
    query,
    answer: requestPage,
    handle: async (call, { requests }) => {
      const wanted = readQuery(call, query);
      return toPage(wanted, requests.page(readToken(call), wanted), toWireRequest);
    },
  }),
];
