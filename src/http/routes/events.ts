import type { H3Event } from "h3";
import type { Gateway } from "../../core/gateway.ts";
import type { StreamEvent } from "../../core/records.ts";
import { isEventOf } from "../../core/view.ts";
import { toWireEvent } from "../../core/wire.ts";
import type { Context } from "../context.ts";
import { readHeader } from "../header.ts";
import { readToken } from "../headers.ts";
import { invalidFields } from "../../core/errors.ts";

/** How many events are written between two looks at whether the reader keeps up. */
const BATCH = 100;
/** A comment that keeps the connection from looking dead, in real time. */
const KEEP_ALIVE_MS = 15_000;

/**
 * `GET /_sandbox/events`: server-sent events. Without `last-event-id` it begins now; with one, behind
 * that event, 0 being the beginning. An event's data is JSON of one line, so that no text in it can forge another.
 */
export function streamEvents({ gateway, closing }: Context): (event: H3Event) => Promise<Response> {
  return async (event) => {
    const token = readToken(event);
    let seen = readPlace(event, gateway.lastEventNumber);
    const encoder = new TextEncoder();
    let wake = (): void => undefined;
    const over = new AbortController();
    const isOver = AbortSignal.any([over.signal, closing]);
    isOver.addEventListener("abort", () => wake());

    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        const keepAlive = setInterval(
          () => controller.enqueue(encoder.encode(": still here\n\n")),
          KEEP_ALIVE_MS,
        );
        const stopListening = gateway.feed.onMore(() => wake());
        isOver.addEventListener("abort", () => {
          clearInterval(keepAlive);
          stopListening();
        });
        // Who has seen nothing yet has a place all the same, should the connection break.
        controller.enqueue(encoder.encode(`id: ${seen}\nevent: connected\ndata: {}\n\n`));
      },
      async pull(controller) {
        while (!isOver.aborted) {
          const more = new Promise<void>((resolve) => {
            wake = resolve;
          });
          // What is told is durable: a reader may act on it.
          const events = await gateway.read(token, () => gateway.feed.after(seen, BATCH));
          const text = events
            .filter((one) => isEventOf(one, token))
            .map((one) => toMessage(one, gateway))
            .join("");
          seen = events.at(-1)?.number ?? seen;
          if (isOver.aborted) break;
          if (text !== "") return controller.enqueue(encoder.encode(text));
          if (events.length === 0) await more;
        }
        if (!over.signal.aborted) controller.close();
      },
      cancel() {
        over.abort();
      },
    });
    return new Response(stream, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
    });
  };
}

/** A place beyond the last event is one in a sandbox that has begun anew since: all of this one is unseen. */
function readPlace(event: H3Event, last: number): number {
  const place = readHeader(event, "last-event-id");
  if (place === null || place === "") return last;
  if (/^\d{1,15}$/.test(place)) return Number(place) > last ? 0 : Number(place);
  throw invalidFields([{ field: "last-event-id", code: "INVALID_VALUE", message: WRONG_PLACE }]);
}

const WRONG_PLACE = {
  en: "last-event-id must be the number of an event.",
  pt: "last-event-id deve ser o número de um evento.",
};

function toMessage(event: StreamEvent, gateway: Gateway): string {
  const { kind, data } = toWireEvent(event, (integration) => gateway.assumptionsOf(integration));
  return `id: ${event.number}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
