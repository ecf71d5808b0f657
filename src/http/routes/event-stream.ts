import { invalidFields } from "../../core/records/errors.ts";
import type { Gateway } from "../../core/operations/gateway.ts";
import { EventCursor, type Reading } from "../../core/state/event-cursor.ts";
import type { StreamEvent } from "../../core/state/stream-event.ts";
import { isNoticeOf, type Notice } from "../../core/state/event-log.ts";
import { isEventOf } from "../../core/state/view.ts";
import { toWireEvent, toWireNotice } from "../../core/state/wire.ts";
import { clearInterval, setInterval } from "../../platform/real-time.ts";
import { onAbort } from "../calls/call.ts";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { readHeader, readToken, requestedLanguage } from "../calls/headers.ts";
import { NoticeBacklog, type PassingMessage } from "./notice-backlog.ts";
import { nextPart } from "../calls/parts.ts";
import { unknownRecord } from "../calls/refusals.ts";
import { say } from "../../text/message.ts";

/** How many events are written before the reader's progress is checked, and how many notices wait for a slow reader. */
const BATCH = 100;
/** The time between comments, which show that the connection is alive. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Streams events as server-sent events. An event's data is JSON of one line, so that no text in it can forge
 * another event; its id is its number, and numbers only grow.
 *
 * Events with an id are not buffered for a slow reader: it gets more when it has read what was sent. A reader that
 * falls far behind continues from the records, after an event `missed` if they leave something out. Notices are in
 * no record: it gets only the newest, after an event `dropped`.
 */
export async function streamEvents(
  call: Call,
  { gateway, stream, closing }: Context,
): Promise<Answer> {
  const token = readToken(call);
  const reader = new EventCursor(
    gateway.eventLog,
    await readPosition(call, gateway, stream, token),
  );
  const encoder = new TextEncoder();
  let wake = (): void => undefined;
  const backlog = new NoticeBacklog(BATCH, (count) => toMessage("dropped", { count }));
  const language = requestedLanguage(call);
  const pass = (notice: Notice): void => {
    if (!isNoticeOf(notice, token)) return;
    const data = toWireNotice(notice, {
      heldKeys: (faultId) => gateway.faults.heldKeys(faultId),
      language: language ?? gateway.assumptionsOf(token)["error.language"],
    });
    backlog.add({ after: gateway.lastEventNumber, text: toMessage(notice.kind, data) });
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
      ).unref();
      const stopWaiting = onAbort(closing, () => wake());
      const stopListening = gateway.eventLog.onMore(() => wake());
      const stopPassing = gateway.notices.listen(pass);
      over.signal.addEventListener("abort", () => {
        clearInterval(keepAlive);
        stopWaiting();
        stopListening();
        stopPassing();
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
        const { events, missed, passed } = await gateway
          .read(token, () => {
            const reading = reader.read(BATCH);
            const isFull = reading.events.length === BATCH;
            const last = reading.events.at(-1)?.number ?? 0;
            // In the same turn, so that each notice keeps its place among the events.
            return { ...reading, passed: backlog.take(isFull ? last : Number.POSITIVE_INFINITY) };
          })
          .catch((error: unknown) => {
            over.abort();
            throw error;
          });
        if (over.signal.aborted) return;
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
  "last-event-id": say`last-event-id must be the number of an event.`,
  since: say`since must be the id of a delivery, the number of an event, or all.`,
};

function* messagesOf(
  missed: Reading["missed"],
  events: readonly StreamEvent[],
  passed: readonly PassingMessage[],
  gateway: Gateway,
): Generator<string, undefined> {
  if (missed) yield toMessage("missed", { after: missed.after, up_to: missed.upTo });
  let index = 0;
  function* passedBefore(number: number): Generator<string, undefined> {
    for (let next = passed[index]; next && next.after < number; next = passed[++index])
      yield next.text;
  }
  for (const event of events) {
    yield* passedBefore(event.number);
    const { kind, data } = toWireEvent(event, (integration) => gateway.assumptionsOf(integration));
    yield toMessage(kind, data, event.number);
  }
  yield* passedBefore(Number.POSITIVE_INFINITY);
}

function toMessage(kind: string, data: unknown, number?: number): string {
  const id = number === undefined ? "" : `id: ${number}\n`;
  return `${id}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
