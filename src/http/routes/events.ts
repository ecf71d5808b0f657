import { invalidFields } from "../../core/errors.ts";
import { EventCursor, type Reading } from "../../core/state/event-cursor.ts";
import type { Gateway } from "../../core/gateway.ts";
import type { StreamEvent } from "../../core/state/stream-event.ts";
import { isEventOf } from "../../core/state/view.ts";
import { toWireEvent, toWireHold } from "../../core/wire.ts";
import { onAbort } from "../abort.ts";
import { type Call, readHeader } from "../call.ts";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { readToken } from "../token.ts";
import { nextPart } from "../parts.ts";
import { unknownRecord } from "../refusals.ts";
import { toWireRequest } from "../request-log.ts";
import { clearInterval, setInterval } from "../../platform/real-time.ts";

/** How many events are written between two looks at whether the reader keeps up. */
const BATCH = 100;
/** A comment that keeps the connection from looking dead, in real time. */
const KEEP_ALIVE_MS = 15_000;

/**
 * `GET /_sandbox/events`: server-sent events. An event's data is JSON of one line, so that no text in it
 * can forge another; its id is its number, and numbers only ever grow.
 *
 * Nothing is buffered for a reader who is slow: it is sent more once it has taken what it was sent, and
 * who falls far behind continues from the records, after an event `missed` where they leave something out.
 */
export function streamEvents({
  gateway,
  requests,
  stream,
  closing,
}: Context): (call: Call) => Promise<Answer> {
  return async (call) => {
    const token = readToken(call);
    const reader = new EventCursor(gateway.eventLog, await readPlace(call, gateway, stream, token));
    const encoder = new TextEncoder();
    let wake = (): void => undefined;
    /** Messages that are in no record, so that none of them can be resumed: a slow reader misses some. */
    let passing: string[] = [];
    const pass = (integration: string | null, kind: string, data: () => unknown): void => {
      if (token !== null && integration !== token) return;
      passing = [...passing.slice(1 - BATCH), toMessage(kind, data())];
      wake();
    };
    /** Read, and not written yet. */
    let unwritten: Iterator<string> = [].values();
    const over = new AbortController();
    over.signal.addEventListener("abort", () => wake());

    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const keepAlive = setInterval(
          () => controller.enqueue(encoder.encode(": still here\n\n")),
          KEEP_ALIVE_MS,
        );
        const stopWaiting = onAbort(closing, () => wake());
        const stopListening = gateway.eventLog.onMore(() => wake());
        const stopHearing = requests.onRequest((request) =>
          pass(request.integration, "request", () => toWireRequest(request)),
        );
        const stopHolding = gateway.faults.onHold((hold) =>
          pass(hold.integration, hold.kind, () => toWireHold(hold)),
        );
        over.signal.addEventListener("abort", () => {
          clearInterval(keepAlive);
          stopWaiting();
          stopListening();
          stopHearing();
          stopHolding();
        });
        // Who has seen nothing yet has a place all the same, should the connection break.
        controller.enqueue(encoder.encode(toMessage("connected", { stream }, reader.place)));
      },
      async pull(controller) {
        while (!over.signal.aborted) {
          const part = nextPart(unwritten);
          if (part !== undefined) return controller.enqueue(encoder.encode(part));
          const more = new Promise<void>((resolve) => {
            wake = resolve;
          });
          // What is told is durable: a reader may act on it. What is not to be had ends the stream.
          const { events, missed } = await gateway
            .read(token, () => reader.read(BATCH))
            .catch((error: unknown) => {
              over.abort();
              throw error;
            });
          if (over.signal.aborted) return;
          // What a request has brought about is told before it.
          const told = events.length < BATCH ? passing.splice(0) : [];
          if (missed || events.length > 0 || told.length > 0) {
            const own = events.filter((one) => isEventOf(one, token));
            unwritten = messagesOf(missed, own, told, gateway);
            continue;
          }
          // The end comes behind all that has happened by then.
          if (closing.aborted) {
            over.abort();
            return controller.close();
          }
          await more;
        }
      },
      cancel() {
        over.abort();
      },
    });
    return {
      status: 200,
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
      body,
    };
  };
}

/**
 * Where a reader begins: behind the event that it saw last, behind what `since` names, or now.
 *
 * A place in another stream, that of a sandbox which has begun anew since, is no place in this one:
 * all of this one is unseen.
 */
async function readPlace(
  call: Call,
  gateway: Gateway,
  stream: string,
  token: string | null,
): Promise<number> {
  const { searchParams } = call.url;
  const header = readHeader(call, "last-event-id");
  const [field, place] =
    header === null || header === ""
      ? (["since", searchParams.get("since")] as const)
      : (["last-event-id", header] as const);
  const last = gateway.lastEventNumber;
  if (place === null || place === "") return last;
  if (place === "all") return 0;
  if (/^\d{1,15}$/.test(place)) {
    const isOther = (searchParams.get("stream") ?? stream) !== stream;
    return isOther || Number(place) > last ? 0 : Number(place);
  }
  if (!place.startsWith("evt_"))
    throw invalidFields([{ field, code: "INVALID_VALUE", message: WRONG_PLACE[field] }]);
  const delivery = await gateway.read(token, (view) => view.delivery(place));
  if (!delivery) throw unknownRecord("delivery", place);
  return delivery.attempts[0]?.eventNumber ?? delivery.eventNumber;
}

const WRONG_PLACE = {
  "last-event-id": {
    en: "last-event-id must be the number of an event.",
    pt: "last-event-id deve ser o número de um evento.",
  },
  since: {
    en: "since must be the id of a delivery, the number of an event, or all.",
    pt: "since deve ser o id de uma entrega, o número de um evento ou all.",
  },
};

function* messagesOf(
  missed: Reading["missed"],
  events: readonly StreamEvent[],
  passing: readonly string[],
  gateway: Gateway,
): Generator<string, undefined> {
  if (missed) yield toMessage("missed", { after: missed.after, up_to: missed.upTo });
  for (const event of events) {
    const { kind, data } = toWireEvent(event, (integration) => gateway.assumptionsOf(integration));
    yield toMessage(kind, data, event.number);
  }
  yield* passing;
}

function toMessage(kind: string, data: unknown, number?: number): string {
  const id = number === undefined ? "" : `id: ${number}\n`;
  return `${id}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
