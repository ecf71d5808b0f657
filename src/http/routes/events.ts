import * as z from "zod";
import type { Notice } from "../../core/state/event-log.ts";
import type { WireEvent } from "../../core/state/wire.ts";
import { READ_EVENTS } from "../../core/state/wire-routes.ts";
import { streamEvents } from "./event-stream.ts";
import type { JsonSchema } from "../definitions/json-schema.ts";
import { defineRoute } from "../definitions/route.ts";
import { attemptEvent, delivery } from "../schemas/delivery.ts";
import {
  assumptionsEvent,
  clockEvent,
  faultEvent,
  resetEvent,
  sentEvent,
  snapshotEvent,
} from "../schemas/event.ts";
import { holdEvent } from "../schemas/fault.ts";
import { payin, payinExample } from "../schemas/payin.ts";
import { payout } from "../schemas/payout.ts";
import { request } from "../schemas/request.ts";
import { sinkWebhook } from "../schemas/sink.ts";

const connectedEvent = z.object({ stream: z.string() }).meta({
  id: "ConnectedEvent",
  description:
    "The name of the stream that event numbers belong to. A start with a new state has another name.",
  examples: [{ stream: "78612014067a2373" }],
});

const missedEvent = z.object({ after: z.int().min(0), up_to: z.int().min(0) }).meta({
  id: "MissedEvent",
  description:
    "Some events with numbers above `after`, up to `up_to`, are missing: later events replaced them, or history dropped them.",
  examples: [{ after: 41, up_to: 44 }],
});

const droppedEvent = z.object({ count: z.int().min(1) }).meta({
  id: "DroppedEvent",
  description: "How many events without an id the reader lost because it read too slowly.",
  examples: [{ count: 12 }],
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
  examples: [{ id: "41", event: "payin", data: JSON.stringify(payinExample) }],
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

const PARAMETERS: readonly JsonSchema[] = [
  {
    name: "last-event-id",
    in: "header",
    description:
      "The id of the last event that the reader saw, as an `EventSource` sends it when it reconnects; it takes precedence over `since`.",
    schema: { type: "string", pattern: POSITION },
    example: "41",
  },
  {
    name: "since",
    in: "query",
    description:
      "Starts after the event with this number, after the first attempt of the delivery with this id (`evt_…`), or, with `all`, at the first event. Without `since` and `last-event-id` the stream starts now.",
    schema: { type: "string", pattern: POSITION },
    examples: {
      all: { value: "all" },
      number: { value: "41" },
      delivery: { value: "evt_0123456789abcdef0123456789abcdef" },
    },
  },
  {
    name: "stream",
    in: "query",
    description:
      "The stream that the number belongs to, as `connected` named it. If the sandbox has another stream now, that one starts at its first event.",
    schema: { type: "string" },
  },
];

const EXAMPLE = `id: 41
event: connected
data: {"stream":"5f0c1d2e3a4b5968"}

: still here

event: missed
data: {"after":41,"up_to":44}

`;

const DESCRIPTION = `Streams events as they happen, as server-sent events. These have an \`id\`:
${listOfEvents(NUMBERED)}

These have none. They are in no record, so that only connected readers get them, and no reader can resume after them:
${listOfEvents(PASSING)}

Readers must ignore events with other names: later versions may add some.

An event's \`id\` is its number in the one ordered stream of the sandbox. Numbers only grow, also across a restart of the same state. If \`x-api-token\` names an integration, the numbers of other integrations' events are skipped. Every event is durable when it is sent. Every 15 seconds the stream sends a comment (a line that begins with \`:\`), so that a quiet connection does not look dead.

**To resume**, send the last \`id\` as \`last-event-id\`, and the name that \`connected\` gave as \`stream\`. No event is repeated. If events are missing, \`missed\` reports it.

**\`missed\`** means that the reader was disconnected for so long, or read so slowly, that some events are no longer stored. The stream then continues from the records:

- It contains each payin and payout in its current state, and the creation and every attempt of each stored delivery.
- It does not contain earlier states of a payin or payout, nor deliveries that were dropped from history.
- \`after\` and \`up_to\` are the numbers between which events may be missing. Read the records (such as \`GET /_sandbox/payins\`) if that matters.`;

function listOfEvents(events: Readonly<Record<string, StreamedEvent>>): string {
  return Object.entries(events)
    .map(([name, { summary }]) => `\n- \`${name}\`: ${summary}`)
    .join("");
}

export const routes = [
  defineRoute({
    at: READ_EVENTS,
    id: "streamEvents",
    tag: "Webhooks",
    summary: "Streams events as they happen, as server-sent events.",
    caller: "integration",
    answer: streamEvent,
    stream: {
      description: DESCRIPTION,
      parameters: PARAMETERS,
      data: Object.values(EVENTS).map(({ data }) => data),
      example: EXAMPLE,
    },
    refusals: ["invalid", "unknownPlace", "unwritable"],
    handle: streamEvents,
  }),
];
