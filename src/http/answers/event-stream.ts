import { invalidFields } from "../../core/errors.ts";
import type { Gateway } from "../../core/gateway.ts";
import { EventCursor, type Reading } from "../../core/state/event-cursor.ts";
import type { StreamEvent } from "../../core/state/stream-event.ts";
import { isEventOf } from "../../core/state/view.ts";
import { toWireEvent, toWireHold } from "../../core/wire.ts";
import { clearInterval, setInterval } from "../../platform/real-time.ts";
import { onAbort } from "../abort.ts";
import type { Answer } from "./answer.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { readHeader, readToken } from "../parse/headers.ts";
import { nextPart } from "./parts.ts";
import { unknownRecord } from "./refusals.ts";
import { toWireRequest } from "../request-log.ts";

/** How many events are written before the reader's progress is checked. */
const BATCH = 100;
/** The time between comments, which show that the connection is alive. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Streams events as server-sent events. An event's data is JSON of one line, so that no text in it can forge
 * another event; its id is its number, and numbers only grow.
 *
 * Nothing is buffered for a slow reader: it gets more when it has read what was sent. A reader that falls far
 * behind continues from the records, after an event `missed` if they leave something out.
 */
export async function streamEvents(
  call: Call,
  { gateway, requests, stream, closing }: Context,
): Promise<Answer> {
  const token = readToken(call);
  const reader = new EventCursor(
    gateway.eventLog,
    await readPosition(call, gateway, stream, token),
  );
  const encoder = new TextEncoder();
  let wake = (): void => undefined;
  /** Messages that are in no record and cannot be resumed: a slow reader misses some. */
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
      const stopHearing = requests.onEntry((request) =>
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
      // A reader can resume after it even if the connection breaks before the first event.
      controller.enqueue(encoder.encode(toMessage("connected", { stream }, reader.place)));
    },
    async pull(controller) {
      while (!over.signal.aborted) {
        const part = nextPart(unwritten);
        if (part !== undefined) return controller.enqueue(encoder.encode(part));
        const more = new Promise<void>((resolve) => {
          wake = resolve;
        });
        // Events are durable: a reader may act on them. A store that cannot read ends the stream.
        const { events, missed } = await gateway
          .read(token, () => reader.read(BATCH))
          .catch((error: unknown) => {
            over.abort();
            throw error;
          });
        if (over.signal.aborted) return;
        // The events that a request caused come before the request.
        const passed = events.length < BATCH ? passing.splice(0) : [];
        if (missed || events.length > 0 || passed.length > 0) {
          const own = events.filter((one) => isEventOf(one, token));
          unwritten = messagesOf(missed, own, passed, gateway);
          continue;
        }
        // The stream ends after everything that has happened by then.
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
}

/**
 * The position at which a reader starts: after the event that it saw last, after the one that `since` names,
 * or now. A position in another stream means the first event: the sandbox has started with a new state.
 */
async function readPosition(
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
