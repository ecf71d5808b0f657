import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import type { Delivery } from "../../core/records/delivery.ts";
import { DELIVERY_FILTERS, type Filters, rowsWith } from "../../core/state/filters.ts";
import { toWireDelivery } from "../../core/state/wire.ts";
import { toIso } from "../../wire/timestamp.ts";
import { onAbort } from "../calls/call.ts";
import { stopping } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { SINK_RESPONSE, sinkOf, type SinkWebhook, toWireSinkWebhook } from "../context/sink.ts";
import { collection, filterQuery, list } from "../definitions/collection.ts";
import { route } from "../definitions/route.ts";
import { delivery } from "../schemas/delivery.ts";
import { clockMode, instant, listOf } from "../schemas/members.ts";
import { sinkWebhook } from "../schemas/rows.ts";
import { say } from "../../text/message.ts";

/** Selects deliveries; all of them if it is empty. Strict: a misspelled name must not select all. */
export const deliveryFilter = z.strictObject(filterQuery(DELIVERY_FILTERS));

const SINK_FILTERS = {
  sink: { member: "sink", value: "text", help: say`only of the address with this id at its end` },
} as const satisfies Filters<SinkWebhook>;

/** The webhooks sent to merchants, and the sandbox's own receiver. */
export const deliveryRoutes = {
  ...collection("deliveries", {
    noun: "delivery",
    row: delivery,
    filters: DELIVERY_FILTERS,
    page: ({ view }, ...wanted) => view.page("deliveries", ...wanted),
    find: ({ view }, id) => view.find("deliveries", id),
    toWire: toWireDelivery,
    moves: {
      resend:
        "Resends a delivery with the same id and bytes; responds when that attempt has ended.",
    },
    async move(_resend, { token, id }, context) {
      const found = await context.gateway.read(token, (view) => view.find("deliveries", id));
      return found && resend(context, found);
    },
  }),

  "POST /deliveries/resend": route({
    summary:
      "Resends all deliveries that a filter in the body or the query selects; responds when those attempts have ended.",
    query: deliveryFilter,
    body: deliveryFilter,
    isBodyOptional: true,
    answer: listOf(delivery),
    async run({ token, query, body }, context) {
      const isWanted = rowsWith<Delivery, typeof DELIVERY_FILTERS>(DELIVERY_FILTERS, {
        ...query,
        ...body,
      });
      const found = await context.gateway.read(token, (view) =>
        view.all("deliveries").filter((one) => isWanted?.(one) ?? true),
      );
      const resent = await Promise.all(found.map((one) => resend(context, one)));
      return { data: resent.map((one) => toWireDelivery(one)), next: null };
    },
  }),

  "POST /settle": route({
    summary: "Responds when no webhook is in flight or due.",
    answer: z.object({ settled: z.literal(true), now: instant, mode: clockMode }),
    async run({ token }, { clockDriver, clock }) {
      await clockDriver.settle(token);
      return { settled: true as const, now: toIso(clock.nowMs()), mode: clock.mode };
    },
  }),

  "GET /sink": list<SinkWebhook, typeof sinkWebhook, typeof SINK_FILTERS>({
    summary:
      "Lists the webhooks that the sandbox's own receiver got. They are in memory only: a restart drops them.",
    row: sinkWebhook,
    filters: SINK_FILTERS,
    page: ({ context: { sink }, token }, ...wanted) => sink.page(token, ...wanted),
    toWire: (one: SinkWebhook, { gateway }, { token, language }) =>
      toWireSinkWebhook(one, language ?? gateway.assumptionsOf(token)["error.language"]),
  }),

  "POST /sink/{sink}": route({
    summary:
      "Receives a webhook, verifies and stores it. A `webhook_url` with this path and the sandbox's own address needs no other receiver: such webhooks are delivered without a connection. Its own address is the one that it listens on, the public URL, and each host by which a client has called it, such as through a port mapping.",
    query: z.looseObject({}),
    body: z.looseObject({}),
    answer: z.object({}),
    run({ call: { location, headers, text: body = "" } }, context) {
      const sink = sinkOf(location.pathname);
      if (sink === undefined)
        throw invalidFields([{ field: "sink", code: "INVALID_VALUE", message: WRONG_SINK }]);
      context.sink.receive({ sink, headers, body });
      return SINK_RESPONSE;
    },
  }),
};

async function resend({ gateway, sender, closing }: Context, found: Delivery): Promise<Delivery> {
  // A stop does not wait for a slow merchant.
  let stopListening = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stopListening = onAbort(closing, () => reject(stopping()));
  });
  await Promise.race([sender.resend(found), stopped]).finally(() => stopListening());
  // History may have dropped it meanwhile.
  return gateway.delivery(found.id) ?? found;
}

const WRONG_SINK = say`The address must end with 1 to 64 letters, digits, - and _.`;
