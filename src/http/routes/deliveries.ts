import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import type { Delivery } from "../../core/records/delivery.ts";
import { EVENT_TYPES } from "../../core/records/transaction.ts";
import { DELIVERY_FILTERS, type Filters, rowsWith } from "../../core/state/filters.ts";
import { toWireDelivery, toWireSeen } from "../../core/state/wire.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { toIso } from "../../wire/timestamp.ts";
import { onAbort } from "../calls/call.ts";
import { HttpRefusal, stopping } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { sinkOf, type SinkWebhook, toWireSinkWebhook } from "../context/sink.ts";
import { collection, filterQuery, list } from "../definitions/collection.ts";
import { integer, route } from "../definitions/route.ts";
import { delivery, seenDelivery } from "../schemas/delivery.ts";
import { errorEnvelope } from "../schemas/error.ts";
import { clockMode, instant, listOf } from "../schemas/members.ts";
import { sinkWebhook } from "../schemas/rows.ts";
import { joined, say } from "../../text/message.ts";

/** Selects deliveries; all of them if it is empty. Strict: a misspelled name must not select all. */
const deliveryFilter = z.strictObject(filterQuery(DELIVERY_FILTERS));

const SINK_FILTERS = {
  sink: { member: "sink", value: "text", help: say`only of the address with this id at its end` },
} as const satisfies Filters<SinkWebhook>;

/** How many other deliveries are shown after a timeout. */
const MAX_SEEN = 10;

const waitQuery = deliveryFilter.omit({ status: true }).extend({
  id: z.string().min(1).optional().describe("The delivery's id."),
  timeout_ms: integer(0, 600_000, 5000).describe("The longest wait, in real milliseconds."),
});

/** What a wait is for; absent members match all. */
type Wanted = Omit<z.output<typeof waitQuery>, "timeout_ms">;

const waitRefusal = errorEnvelope
  .extend({
    seen: z.array(seenDelivery).optional().describe("The most similar deliveries."),
    seed: z.string().optional().describe("The seed of the ids."),
  })
  .meta({ id: "WaitError", description: "A refusal, or 408: no matching delivery in time." });

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
      return {};
    },
  }),

  "GET /wait": route({
    summary:
      "Waits until a matching webhook is delivered, and returns the newest one. Past ones count.",
    query: waitQuery,
    answer: delivery,
    refusal: waitRefusal,
    async run({ token, query: { timeout_ms: timeoutMs, ...wanted }, call }, context) {
      const { gateway, closing } = context;
      // Not AbortSignal.any: the signal that it makes would live as long as the sandbox.
      const over = new AbortController();
      const end = (): void => over.abort();
      const timer = setTimeout(end, timeoutMs);
      const stopListening = onAbort(closing, end);
      call.onDisconnect(end);
      const found = await untilDelivered(context, token, wanted, over.signal).finally(() => {
        clearTimeout(timer);
        stopListening();
        end();
      });
      if (found) return toWireDelivery(found);
      if (closing.aborted) throw stopping();
      const all = await gateway.read(token, (view) => view.all("deliveries"));
      const seen = nearestTo(wanted, all).slice(0, MAX_SEEN);
      throw new HttpRefusal(408, toSentence(wanted, timeoutMs, seen), {
        members: { seen: seen.map(toWireSeen), seed: context.seed },
      });
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

/** The newest delivery that matches, as soon as one was delivered; undefined once `over` aborts. */
async function untilDelivered(
  { gateway }: Context,
  token: string | null,
  { id, ...wanted }: Wanted,
  over: AbortSignal,
): Promise<Delivery | undefined> {
  const passes = rowsWith<Delivery, typeof DELIVERY_FILTERS>(DELIVERY_FILTERS, {
    ...wanted,
    status: "delivered",
  });
  const isWanted = (one: Delivery): boolean =>
    passes?.(one) !== false && (id === undefined || one.id === id);
  const find = () => gateway.read(token, (view) => view.all("deliveries").findLast(isWanted));
  const next = gateway.events.after(gateway.events.last, token, over);
  let found = await find();
  while (!found) {
    const { value: events, done } = await next.next();
    if (done) return undefined;
    const isNews = events.some(
      ({ event }) =>
        event.kind === "missed" || (event.kind === "attempt" && isWanted(event.delivery)),
    );
    if (isNews) found = await find();
  }
  return found;
}

/** Those that match the most criteria first, and then the newest. */
function nearestTo({ id, type, transaction_id }: Wanted, all: readonly Delivery[]): Delivery[] {
  const nearness = (one: Delivery): number =>
    Number(one.id === id) * 4 +
    Number(one.transactionId === transaction_id) * 2 +
    Number(one.type === type);
  return all.toReversed().toSorted((one, other) => nearness(other) - nearness(one));
}

function toSentence(
  { type, transaction_id: transactionId, id }: Wanted,
  timeoutMs: number,
  seen: readonly Delivery[],
) {
  const wanted = joined([
    type ?? "webhook",
    ...(transactionId === undefined ? [] : [say`of ${transactionId}`]),
    ...(id === undefined ? [] : [say`with the id ${id}`]),
  ]);
  const isType = type === undefined || (EVENT_TYPES as readonly string[]).includes(type);
  const types = isType
    ? ""
    : say` The event type is unknown; use one of ${EVENT_TYPES.join(", ")}.`;
  // The same in every language.
  const shown = seen
    .slice(0, MAX_SHOWN)
    .map(({ type: its, transactionId: of, status, attempts }) => {
      const last = attempts.at(-1);
      return `${its} ${of} (${[status, ...(last ? [last.status ?? last.error] : [])].join(", ")})`;
    });
  const others = `${shown.join("; ")}${seen.length > MAX_SHOWN ? "; …" : ""}`;
  return seen.length === 0
    ? say`No ${wanted} was delivered within ${timeoutMs} ms.${types} There were no webhooks at all.`
    : say`No ${wanted} was delivered within ${timeoutMs} ms.${types} Seen instead: ${others}.`;
}

/** How many deliveries the message lists; the response's `seen` has more. */
const MAX_SHOWN = 3;
