import type { Delivery } from "../../core/records/delivery.ts";
import { invalidFields } from "../../core/records/errors.ts";
import { toWireDelivery } from "../../core/state/wire.ts";
import {
  LIST_DELIVERIES,
  RESEND_DELIVERIES,
  RESEND_DELIVERY,
  SHOW_DELIVERY,
} from "../../core/state/wire-routes.ts";
import { onAbort } from "../calls/call.ts";
import { toAnswer, toListAnswer } from "../calls/answer.ts";
import { createReader } from "../parse/readers.ts";
import { readOptionalJson } from "../parse/body.ts";
import { readId } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { deliveryFilter, toFilter } from "../parse/delivery-filter.ts";
import { readToken } from "../calls/headers.ts";
import { listQuery, PAGE, readQuery, toPage } from "../parse/query.ts";
import { stopping, unknownRecord } from "../calls/refusals.ts";
import { defineRoute, fixedBody } from "../definitions/route.ts";
import { delivery, deliveryExample } from "../schemas/delivery.ts";
import { listOf, pageOf } from "../schemas/members.ts";
import { say } from "../../text/message.ts";

const deliveryPage = pageOf(delivery, {
  id: "DeliveryPage",
  description: "Deliveries in the order of their creation.",
  example: deliveryExample,
});

const resentDeliveries = listOf(delivery, {
  id: "ResentDeliveries",
  description: "All deliveries that were sent again, as they are now.",
  example: deliveryExample,
});

const query = listQuery({ ...deliveryFilter.shape, ...PAGE });

export const routes = [
  defineRoute({
    at: LIST_DELIVERIES,
    id: "listDeliveries",
    tag: "Webhooks",
    summary: "Lists deliveries.",
    caller: "integration",
    query,
    answer: deliveryPage,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      const { status, type, transaction_id, ...request } = readQuery(call, query);
      const wanted = toFilter({ status, type, transaction_id });
      const page = await gateway.read(readToken(call), (view) => view.deliveries(request, wanted));
      return toPage(request, page, toWireDelivery);
    },
  }),

  defineRoute({
    at: RESEND_DELIVERIES,
    id: "resendDeliveries",
    tag: "Webhooks",
    summary:
      "Resends all deliveries that a filter in the body or the query selects; responds when those attempts have ended.",
    caller: "integration",
    query: deliveryFilter,
    body: {
      ...fixedBody("DeliveryFilter", deliveryFilter, { failed: { status: "failed" } }),
      isOptional: true,
    },
    answer: resentDeliveries,
    refusals: ["unwritable"],
    handle: async (call, context) => {
      const reading = readFilter(await readOptionalJson(call));
      if ("fields" in reading) throw invalidFields(reading.fields);
      const wanted = toFilter({ ...readQuery(call, deliveryFilter), ...reading.draft });
      const deliveries = await context.gateway.read(readToken(call), (view) =>
        view.allDeliveries(wanted),
      );
      const resent = await Promise.all(deliveries.map((one) => resend(context, one)));
      return toListAnswer({ data: resent, next: null }, toWireDelivery);
    },
  }),

  defineRoute({
    at: SHOW_DELIVERY,
    id: "showDelivery",
    tag: "Webhooks",
    summary: "Shows a delivery and its attempts.",
    caller: "integration",
    answer: delivery,
    refusals: ["unknownRecord", "unwritable"],
    handle: async (call, { gateway }) => {
      const id = readId(call);
      const found = await gateway.read(readToken(call), (view) => view.delivery(id));
      if (!found) throw unknownRecord("delivery", id);
      return toAnswer(toWireDelivery(found));
    },
  }),

  defineRoute({
    at: RESEND_DELIVERY,
    id: "resendDelivery",
    tag: "Webhooks",
    summary: "Resends a delivery with the same id and bytes; responds when that attempt has ended.",
    caller: "integration",
    answer: delivery,
    refusals: ["unknownRecord", "unwritable"],
    handle: async (call, context) => {
      const id = readId(call);
      await readOptionalJson(call);
      const found = await context.gateway.read(readToken(call), (view) => view.delivery(id));
      if (!found) throw unknownRecord("delivery", id);
      return toAnswer(toWireDelivery(await resend(context, found)));
    },
  }),
];

const readFilter = createReader(
  deliveryFilter,
  {
    status: say`status must be pending, delivered or failed.`,
    type: say`type must be text.`,
    transaction_id: say`transaction_id must be text.`,
  },
  (wanted) => wanted,
);

async function resend({ gateway, sender, closing }: Context, found: Delivery): Promise<Delivery> {
  // A stop does not wait for a slow merchant.
  let stopListening = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stopListening = onAbort(closing, () => reject(stopping()));
  });
  await Promise.race([sender.resend(found), stopped]).finally(() => stopListening());
  // History may have dropped it meanwhile.
  return (await gateway.delivery(found.id)) ?? found;
}
