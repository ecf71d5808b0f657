import * as z from "zod";
import type { SandboxEvent } from "../../core/state/events.ts";
import { invalidFields } from "../../core/records/errors.ts";
import { toWireEvent } from "../../core/state/wire.ts";
import { clearInterval, setInterval } from "../../platform/real-time.ts";
import { type Answer, type Call, onAbort, readHeader } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { type Asked, route } from "../definitions/route.ts";
import { say } from "../../text/message.ts";

/** The time between comments, which show that the connection is alive. */
const KEEP_ALIVE_MS = 15_000;

/** What each event reports, by its name. */
const EVENTS: Readonly<Record<SandboxEvent["kind"] | "connected" | "missed", string>> = {
  connected: "The first event: the name of the stream, new with each process of the sandbox.",
  missed:
    "Some events are missing: the sandbox has restarted, or they are no longer among the newest. Read the records again.",
  payin: "A payin was created or changed.",
  payout: "A payout was created or changed.",
  delivery: "A webhook will be sent.",
  sent: "An attempt of a delivery begins.",
  attempt: "An attempt of a delivery has ended: the delivery, `attempt_number` and `attempt`.",
  request: "The gateway has responded to a request.",
  sink: "The sandbox's own receiver got a webhook.",
  held: "A fault holds a call. A script can wait for this event to know that its call has arrived.",
  released: "A call is no longer held: it was released, or a reset, a stop or its client ended it.",
  fault: "A fault was created, used or removed.",
  clock: "The clock was moved, frozen, resumed or reset. Passing time has no events.",
  assumptions: "Assumptions were changed, of one integration or of all.",
  snapshot: "A snapshot was saved, restored or deleted.",
  reset:
    "All records of an integration, or of all (`null`), were replaced: by a reset, or by a restored snapshot. Faults and changed assumptions go with them.",
};

const DESCRIPTION = `Streams events as they happen, as server-sent events. The data is JSON on one line, a record as its list shows it:
${Object.entries(EVENTS)
  .map(([name, summary]) => `\n- \`${name}\`: ${summary}`)
  .join("")}

Readers must ignore events with other names: later versions may add some.

An event's \`id\` is its number in the one stream of the sandbox. Numbers only grow. If \`x-api-token\` names an integration, other integrations' events are left out. Every event is durable when it is sent. Every 15 seconds the stream sends a comment (a line that begins with \`:\`), so that a quiet connection does not look dead.

**To resume**, send the last \`id\` as \`last-event-id\`, as an \`EventSource\` does. The newest 10,000 events (16 MB) can be read again, without gaps or repeats. A reader that is further behind, or whose \`id\` is of an earlier process, gets \`missed\` and then those that are left.`;

export const eventRoutes = {
  "GET /events": route({
    summary: "Streams events as they happen, as server-sent events.",
    description: DESCRIPTION,
    answer: z.string(),
    contentTypes: ["text/event-stream"],
    respond: streamEvents,
  }),
};

/**
 * Streams events as server-sent events. An event's data is JSON of one line, so that no text in it can forge another
 * event. The reader pulls: a slow one buffers nothing, and gets `missed` if it is further behind than the ring.
 */
function streamEvents(
  { call, token, language }: Asked,
  { gateway, closing }: Context,
): Answer<string> {
  const { events } = gateway;
  const place = readPlace(call, events.last);
  const reader = {
    language: language ?? gateway.assumptionsOf(token)["error.language"],
    heldKeys: (faultId: string) => gateway.faults.heldKeys(faultId),
    assumptionsOf: (integration: string) => gateway.assumptionsOf(integration),
  };
  const encoder = new TextEncoder();
  const over = new AbortController();
  const next = events.after(place, token, over.signal);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => controller.enqueue(encoder.encode(text));
      const keepAlive = setInterval(() => write(": still here\n\n"), KEEP_ALIVE_MS).unref();
      // The stream ends after everything that has happened by then.
      const stopWaiting = onAbort(closing, () => over.abort());
      onAbort(over.signal, () => {
        clearInterval(keepAlive);
        stopWaiting();
      });
      // A reader can resume after it even if the connection breaks before the first event. One that names a later
      // event than the newest gets its place with `missed`: numbers only grow.
      const id = place > events.last ? undefined : place;
      write(toMessage(id, "connected", { stream: events.stream }));
    },
    async pull(controller) {
      const { value, done } = await next.next();
      if (done) return controller.close();
      const messages = value.map(({ id, event }) =>
        toMessage(id, event.kind, "toWire" in event ? event.toWire(reader) : toWireEvent(event)),
      );
      controller.enqueue(encoder.encode(messages.join("")));
    },
    cancel: () => over.abort(),
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

/** The number of the event that the reader saw last; without `last-event-id`, of the newest one. */
function readPlace(call: Call, last: number): number {
  const place = readHeader(call, "last-event-id") ?? "";
  if (place === "") return last;
  if (/^\d{1,16}$/.test(place)) return Number(place);
  throw invalidFields([{ field: "last-event-id", code: "INVALID_VALUE", message: WRONG_PLACE }]);
}

const WRONG_PLACE = say`last-event-id must be the number of an event.`;

function toMessage(id: number | undefined, kind: string, data: unknown): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
