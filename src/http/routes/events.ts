import * as z from "zod";
import type { Notice } from "../../core/state/event-log.ts";
import type { WireEvent } from "../../core/state/wire.ts";
import { streamEvents } from "./event-stream.ts";
import { route } from "../definitions/route.ts";
import { attemptEvent, delivery } from "../schemas/delivery.ts";
import {
  assumptionsEvent,
  clockEvent,
  faultEvent,
  resetEvent,
  sentEvent,
  snapshotEvent,
} from "../schemas/event.ts";
import { payin, payout } from "../schemas/records.ts";
import { holdEvent, request, sinkWebhook } from "../schemas/rows.ts";

const connectedEvent = z.object({ stream: z.string() }).meta({
  id: "ConnectedEvent",
  description:
    "The name of the stream that event numbers belong to. A start with a new state has another name.",
});

const missedEvent = z.object({ after: z.int().min(0), up_to: z.int().min(0) }).meta({
  id: "MissedEvent",
  description:
    "Some events with numbers above `after`, up to `up_to`, are missing: later events replaced them, or history dropped them.",
});

const droppedEvent = z.object({ count: z.int().min(1) }).meta({
  id: "DroppedEvent",
  description: "How many events without an id the reader lost because it read too slowly.",
});

interface StreamedEvent {
  readonly data: z.ZodType;
  readonly summary: string;
}

/** The events of records, which have a number. */
const NUMBERED: Readonly<Record<WireEvent["kind"] | "connected", StreamedEvent>> = {
  connected: {
    data: connectedEvent,
    summary:
      "The first event: the name of the stream, and as its id the position after which the reader starts.",
  },
  payin: { data: payin, summary: "A payin was created or changed." },
  payout: { data: payout, summary: "A payout was created or changed." },
  delivery: { data: delivery, summary: "A webhook will be sent." },
  attempt: { data: attemptEvent, summary: "An attempt of a delivery has ended." },
  reset: {
    data: resetEvent,
    summary:
      "The records of an integration, or of all (`null`), were removed: by a reset, or because a snapshot was restored. The records of a snapshot are not reported again. Faults and changed assumptions go with them, without events of their own.",
  },
};

/** Events that are not in the records and have no number. */
const PASSING: Readonly<Record<Notice["kind"] | "dropped" | "missed", StreamedEvent>> = {
  request: {
    data: request,
    summary: "The gateway has responded to a request.",
  },
  held: {
    data: holdEvent,
    summary:
      "A fault holds a call until the fault is released. A script can wait for this event to know that its call has arrived. `GET /_sandbox/faults` lists the held calls.",
  },
  released: {
    data: holdEvent,
    summary:
      "A call is no longer held: it was released, or its client, a reset or a stop ended it.",
  },
  fault: {
    data: faultEvent,
    summary: "A fault was created, used or removed.",
  },
  clock: {
    data: clockEvent,
    summary: "The clock was moved, frozen, resumed or reset. Passing time has no events.",
  },
  assumptions: {
    data: assumptionsEvent,
    summary: "Assumptions were changed, of one integration or of all.",
  },
  snapshot: {
    data: snapshotEvent,
    summary: "A snapshot was saved, restored or deleted. A restore also has the event `reset`.",
  },
  sent: {
    data: sentEvent,
    summary: "An attempt of a delivery begins.",
  },
  sink: {
    data: sinkWebhook,
    summary: "The sandbox's own receiver got a webhook.",
  },
  dropped: {
    data: droppedEvent,
    summary: "The reader was too slow and lost some events without an id: read the lists again.",
  },
  missed: {
    data: missedEvent,
    summary:
      "Some events are missing: the stream continues from the records, which do not contain all events.",
  },
};

const EVENTS = { ...NUMBERED, ...PASSING };

/** One event of the stream, by the fields on its lines. */
const streamEvent = z.unknown().meta({
  id: "StreamEvent",
  description: "One event of the stream, by its fields; `data` is JSON on one line.",
  oneOf: Object.entries(EVENTS).map(([event, { data, summary }]) => ({
    type: "object",
    description: summary,
    properties: {
      ...(!Object.hasOwn(PASSING, event) && { id: { type: "string", pattern: "^[0-9]+$" } }),
      event: { type: "string", const: event },
      data: {
        type: "string",
        contentMediaType: "application/json",
        contentSchema: { $ref: `#/$defs/${z.globalRegistry.get(data)?.id}` },
      },
    },
    required: Object.hasOwn(PASSING, event) ? ["event", "data"] : ["id", "event", "data"],
    additionalProperties: false,
  })),
});

const POSITION = "^(?:all|[0-9]{1,15}|evt_.*)?$";

const query = z.object({
  since: z.string().optional().meta({
    pattern: POSITION,
    description:
      "Starts after the event with this number, after the first attempt of the delivery with this id (`evt_…`), or, with `all`, at the first event. Without `since` and `last-event-id` the stream starts now.",
  }),
  stream: z.string().optional().meta({
    description:
      "The stream that the number belongs to, as `connected` named it. If the sandbox has another stream now, that one starts at its first event.",
  }),
});

const DESCRIPTION = `Streams events as they happen, as server-sent events. These have an \`id\`:
${listOfEvents(NUMBERED)}

These have none. They are in no record, so that only connected readers get them, and no reader can resume after them:
${listOfEvents(PASSING)}

Readers must ignore events with other names: later versions may add some.

An event's \`id\` is its number in the one ordered stream of the sandbox. Numbers only grow, also across a restart of the same state. If \`x-api-token\` names an integration, the numbers of other integrations' events are skipped. Every event is durable when it is sent. Every 15 seconds the stream sends a comment (a line that begins with \`:\`), so that a quiet connection does not look dead.

**To resume**, send the last \`id\` as the header \`last-event-id\`, as an \`EventSource\` does, and the name that \`connected\` gave as \`stream\`. No event is repeated. If events are missing, \`missed\` reports it.

**\`missed\`** means that the reader was disconnected for so long, or read so slowly, that some events are no longer stored. The stream then continues from the records:

- It contains each payin and payout in its current state, and the creation and every attempt of each stored delivery.
- It does not contain earlier states of a payin or payout, nor deliveries that were dropped from history.
- \`after\` and \`up_to\` are the numbers between which events may be missing. Read the records (such as \`GET /_sandbox/payins\`) if that matters.`;

function listOfEvents(events: Readonly<Record<string, StreamedEvent>>): string {
  return Object.entries(events)
    .map(([name, { summary }]) => `\n- \`${name}\`: ${summary}`)
    .join("");
}

export const eventRoutes = {
  "GET /events": route({
    summary: "Streams events as they happen, as server-sent events.",
    description: DESCRIPTION,
    query,
    answer: streamEvent,
    isStream: true,
    parts: Object.values(EVENTS).map(({ data }) => data),
    respond: ({ call }, context) => streamEvents(call, context),
  }),
};
