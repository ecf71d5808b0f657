import * as z from "zod";
import { type Delivery, EVENT_TYPES } from "../../core/webhooks/delivery.ts";
import { invalidFields } from "../../core/errors.ts";
import { EventCursor } from "../../core/state/event-cursor.ts";
import { toIso } from "../../core/time/timestamp.ts";
import { type DeliveryFilter, isEventOf, isWanted } from "../../core/state/view.ts";
import { toWireDelivery, toWireSeen } from "../../core/wire.ts";
import { onAbort } from "../abort.ts";
import { readOptionalJson } from "../body.ts";
import { createReader } from "../body-reader.ts";
import { type Call, readId } from "../call.ts";
import type { Context } from "../context.ts";
import { type Answer, toAnswer, toListAnswer } from "../answer.ts";
import { readToken } from "../token.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { pageQuery, readQuery, toPage } from "../query.ts";
import { stopping, timedOut, unknownRecord } from "../refusals.ts";

type Handler = (call: Call) => Promise<Answer>;

/** Which deliveries are meant; all of them where nothing is said. */
const named = z.string().min(1).optional();
/** Strict, like the others, so that a name that is misspelt does not mean all of them. */
export const deliveryFilter = z.strictObject({
  status: z.enum(["pending", "delivered", "failed"]).optional(),
  type: named,
  transaction_id: named,
});
export const deliveriesQuery = deliveryFilter.extend(pageQuery.shape);
export const waitQuery = deliveryFilter.omit({ status: true }).extend({
  id: named,
  timeout_ms: z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .refine((timeoutMs) => timeoutMs <= 600_000)
    .default(5000),
});

/** `GET /_sandbox/deliveries`. */
export function listDeliveries({ gateway }: Context): Handler {
  return async (call) => {
    const { limit, after, ...wanted } = readQuery(call, deliveriesQuery);
    const page = await gateway.read(readToken(call), (view) =>
      view.deliveries({ limit, after }, toFilter(wanted)),
    );
    return toPage(page, toWireDelivery);
  };
}

/** `GET /_sandbox/deliveries/{id}`. */
export function showDelivery({ gateway }: Context): Handler {
  return async (call) => {
    const id = readId(call);
    const delivery = await gateway.read(readToken(call), (view) => view.delivery(id));
    if (!delivery) throw unknownRecord("delivery", id);
    return toAnswer(toWireDelivery(delivery));
  };
}

/** `POST /_sandbox/deliveries/{id}/resend`: one more attempt, with the same id and bytes; answers when it has ended. */
export function resendDelivery(context: Context): Handler {
  return async (call) => {
    const id = readId(call);
    await readOptionalJson(call);
    const delivery = await context.gateway.read(readToken(call), (view) => view.delivery(id));
    if (!delivery) throw unknownRecord("delivery", id);
    return toAnswer(toWireDelivery(await resend(context, delivery)));
  };
}

/** `POST /_sandbox/deliveries/resend`: the same for all that a filter, in the query or the body, lets through. */
export function resendDeliveries(context: Context): Handler {
  return async (call) => {
    const reading = readFilter((await readOptionalJson(call)) ?? {});
    if ("fields" in reading) throw invalidFields(reading.fields);
    const wanted = toFilter({ ...readQuery(call, deliveryFilter), ...reading.draft });
    const deliveries = await context.gateway.read(readToken(call), (view) =>
      view.allDeliveries(wanted),
    );
    const resent = await Promise.all(deliveries.map((one) => resend(context, one)));
    return toListAnswer({ data: resent, next: null }, toWireDelivery);
  };
}

/** `GET /_sandbox/wait`: the newest delivery of its kind that was delivered, as soon as there is one. */
export function waitForDelivery(context: Context): Handler {
  const { gateway, closing } = context;
  return async (call) => {
    const { timeout_ms: timeoutMs, ...asked } = readQuery(call, waitQuery);
    const wanted = { ...toFilter(asked), id: asked.id };
    const token = readToken(call);
    // Not AbortSignal.any: whatever it makes from a signal that lives as long as the sandbox, lives as long.
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
    if (found) return toAnswer(toWireDelivery(found));
    if (closing.aborted) throw stopping();
    const seen = await gateway.read(token, (view) => view.nearestDeliveries(wanted, MAX_SEEN));
    throw timedOut(toSentence(wanted, timeoutMs, seen), {
      seen: seen.map(toWireSeen),
      seed: context.seed,
    });
  };
}

/** `POST /_sandbox/settle`: answers when nothing is in flight or due at the clock's now. */
export function settle({ clockDriver, clock }: Context): Handler {
  return async (call) => {
    await readOptionalJson(call);
    await clockDriver.settle(readToken(call));
    return toAnswer({ settled: true, now: toIso(clock.nowMs()), mode: clock.mode });
  };
}

/** How many deliveries are shown in place of the one that did not come. */
const MAX_SEEN = 10;

const readFilter = createReader(
  deliveryFilter,
  {
    status: {
      en: "status must be pending, delivered or failed.",
      pt: "status deve ser pending, delivered ou failed.",
    },
    type: { en: "type must be text.", pt: "type deve ser um texto." },
    transaction_id: {
      en: "transaction_id must be text.",
      pt: "transaction_id deve ser um texto.",
    },
  },
  (wanted) => wanted,
);

function toFilter({
  transaction_id,
  status,
  type,
}: z.output<typeof deliveryFilter>): DeliveryFilter {
  return { status, type, transactionId: transaction_id };
}

async function resend(
  { gateway, sender, closing }: Context,
  delivery: Delivery,
): Promise<Delivery> {
  // A stop does not wait for an answer that may take long.
  let stopListening = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stopListening = onAbort(closing, () => reject(stopping()));
  });
  await Promise.race([sender.resend(delivery), stopped]).finally(() => stopListening());
  // History may have dropped it meanwhile.
  return (await gateway.delivery(delivery.id)) ?? delivery;
}

async function untilDelivered(
  { gateway }: Context,
  token: string | null,
  wanted: DeliveryFilter,
  over: AbortSignal,
): Promise<Delivery | undefined> {
  const delivered = { ...wanted, status: "delivered" } as const;
  let wake = (): void => undefined;
  const stopListening = gateway.eventLog.onMore(() => wake());
  over.addEventListener("abort", () => wake());
  const reader = new EventCursor(gateway.eventLog, gateway.lastEventNumber);
  try {
    let found = await gateway.read(token, (view) => view.newestDelivery(delivered));
    while (!found && !over.aborted) {
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const { events } = await gateway.read(token, () => reader.read(100));
      for (const event of events)
        if (
          event.kind === "attempt" &&
          isEventOf(event, token) &&
          isWanted(event.delivery, delivered)
        )
          found = event.delivery;
      if (events.length === 0 && !over.aborted) await more;
    }
    return found;
  } finally {
    stopListening();
  }
}

function toSentence(
  { type, transactionId, id }: DeliveryFilter,
  timeoutMs: number,
  seen: readonly Delivery[],
) {
  const wanted = (of: string, withTheId: string): string =>
    `${type ?? "webhook"}${transactionId === undefined ? "" : ` ${of} ${transactionId}`}${id === undefined ? "" : ` ${withTheId} ${id}`}`;
  const isType = type === undefined || (EVENT_TYPES as readonly string[]).includes(type);
  const types = isType ? "" : ` There is no such type: ${EVENT_TYPES.join(", ")}.`;
  const tipos = isType ? "" : ` Não há esse tipo: ${EVENT_TYPES.join(", ")}.`;
  // The same in every language.
  const shown = seen
    .slice(0, MAX_SHOWN)
    .map(({ type: its, transactionId: of, status, attempts }) => {
      const last = attempts.at(-1);
      return `${its} ${of} (${[status, ...(last ? [last.status ?? last.error] : [])].join(", ")})`;
    });
  const others = `${shown.join("; ")}${seen.length > MAX_SHOWN ? "; …" : ""}`;
  return {
    en: `No ${wanted("of", "with the id")} was delivered within ${timeoutMs} ms.${types} ${seen.length === 0 ? "There were no webhooks at all." : `Seen instead: ${others}.`}`,
    pt: `Nenhum ${wanted("de", "com o id")} foi entregue em ${timeoutMs} ms.${tipos} ${seen.length === 0 ? "Não houve nenhum webhook." : `Em vez disso: ${others}.`}`,
  };
}

/** How many of those that were seen a sentence names; the answer's `seen` has more. */
const MAX_SHOWN = 3;
