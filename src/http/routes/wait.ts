import * as z from "zod";
import { DELIVERY_FILTERS, rowsWith } from "../../core/state/filters.ts";
import { EVENT_TYPES } from "../../core/records/transaction.ts";
import { type Delivery } from "../../core/records/delivery.ts";
import { toWireDelivery, toWireSeen } from "../../core/state/wire.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { onAbort } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { HttpRefusal, stopping } from "../calls/refusals.ts";
import { integer, route } from "../definitions/route.ts";
import { deliveryFilter } from "./deliveries.ts";
import { delivery, seenDelivery } from "../schemas/delivery.ts";
import { errorEnvelope } from "../schemas/error.ts";
import { joined, say } from "../../text/message.ts";

/** How many other deliveries are shown after a timeout. */
const MAX_SEEN = 10;

const query = deliveryFilter.omit({ status: true }).extend({
  id: z.string().min(1).optional().describe("The delivery's id."),
  timeout_ms: integer(0, 600_000, 5000).describe("The longest wait, in real milliseconds."),
});

/** What a wait is for; absent members match all. */
type Wanted = Omit<z.output<typeof query>, "timeout_ms">;

const refusal = errorEnvelope
  .extend({
    seen: z.array(seenDelivery).optional().describe("The most similar deliveries."),
    seed: z.string().optional().describe("The seed of the ids."),
  })
  .meta({ id: "WaitError", description: "A refusal, or 408: no matching delivery in time." });

export const waitRoutes = {
  "GET /wait": route({
    summary:
      "Waits until a matching webhook is delivered, and returns the newest one. Past ones count.",
    query,
    answer: delivery,
    refusal,
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
