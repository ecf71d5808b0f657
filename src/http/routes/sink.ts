import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import { LIST_SINK, RECEIVE_IN_SINK } from "../../core/state/wire-routes.ts";
import { toAnswer } from "../calls/answer.ts";
import { parseJson, readBytes } from "../parse/body.ts";
import { readToken, requestedLanguage } from "../calls/headers.ts";
import { listQuery, PAGE, readQuery, toPage } from "../parse/query.ts";
import { defineRoute, fixedBody } from "../definitions/route.ts";
import { SINK_RESPONSE, sinkOf, type SinkWebhook, toWireSinkWebhook } from "../context/sink.ts";
import { pageOf } from "../schemas/members.ts";
import { EVENT_ID, PAYIN_ID } from "../schemas/samples.ts";
import { sinkWebhook, sinkWebhookExample } from "../schemas/sink.ts";
import { say } from "../../text/message.ts";

const sinkWebhookPage = pageOf(sinkWebhook, {
  id: "SinkWebhookPage",
  description: "Webhooks in the order of their arrival, the newest last.",
  example: sinkWebhookExample,
});

const query = listQuery({
  ...PAGE,
  sink: z.string().min(1).optional().meta({ description: "The id at the end of the address." }),
});

const received = z
  .object({})
  .meta({ id: "SinkResponse", description: "The webhook is stored.", examples: [SINK_RESPONSE] });

const event = { id: EVENT_ID, type: "payin.paid", data: { id: PAYIN_ID } };

export const routes = [
  defineRoute({
    at: RECEIVE_IN_SINK,
    id: "receiveWebhookInSink",
    tag: "Webhooks",
    summary:
      "Receives a webhook, verifies and stores it. A `webhook_url` with this path and the sandbox's own address needs no other receiver: such webhooks are delivered without a connection. Its own address is the one that it listens on, the public URL, and each host by which a client has called it, such as through a port mapping.",
    body: fixedBody("SinkBody", z.looseObject({}), { "payin-paid": event }),
    answer: received,
    refusals: ["invalid"],
    handle: async (call, context) => {
      await readBytes(call);
      parseJson(call);
      const { rawHeaders, text: body = "" } = call;
      const sink = sinkOf(call.url.pathname);
      if (sink === undefined)
        throw invalidFields([{ field: "sink", code: "INVALID_VALUE", message: WRONG_SINK }]);
      context.sink.receive({ sink, rawHeaders, body });
      return toAnswer(SINK_RESPONSE);
    },
  }),

  defineRoute({
    at: LIST_SINK,
    id: "listSink",
    tag: "Webhooks",
    summary:
      "Lists the webhooks that the sandbox's own receiver got. They are in memory only: a restart drops them.",
    caller: "integration",
    query,
    answer: sinkWebhookPage,
    handle: async (call, { sink, gateway }) => {
      const token = readToken(call);
      const { sink: id, ...request } = readQuery(call, query);
      const language = requestedLanguage(call) ?? gateway.assumptionsOf(token)["error.language"];
      const isWanted = id === undefined ? undefined : (one: SinkWebhook) => one.sink === id;
      return toPage(request, sink.page(token, request, isWanted), (one) =>
        toWireSinkWebhook(one, language),
      );
    },
  }),
];

const WRONG_SINK = say`The address must end with 1 to 64 letters, digits, - and _.`;
