import type { HoldEvent } from "../../core/faults/injector.ts";
import type { WireEvent } from "../../core/wire.ts";
import type { AnswerName } from "./answers.ts";
import { EXAMPLES } from "./examples.ts";
import type { JsonSchema } from "./json-schema.ts";

type EventName = WireEvent["kind"] | HoldEvent["kind"] | "connected" | "missed" | "request";

/** They are no part of the records, and have no place in their order. */
const WITHOUT_ID: ReadonlySet<string> = new Set(["missed", "request", "held", "released"]);

const EVENTS: Readonly<Record<EventName, { readonly data: AnswerName; readonly says: string }>> = {
  connected: {
    data: "ConnectedEvent",
    says: "The first one: the name of the stream, and as its id the place that the reader begins behind.",
  },
  payin: { data: "Payin", says: "A payin was created or changed." },
  payout: { data: "Payout", says: "A payout was created or changed." },
  delivery: { data: "Delivery", says: "A webhook is to be sent." },
  attempt: { data: "AttemptEvent", says: "An attempt of a delivery has ended." },
  reset: {
    data: "ResetEvent",
    says: "What there was of an integration, or of all where it is null, is gone: it was reset, or a snapshot was restored. What a snapshot brings back is not told again.",
  },
  request: {
    data: "Request",
    says: "The gateway has answered a request. It has no id: requests are in memory alone, and are told only to those who listen.",
  },
  held: {
    data: "HoldEvent",
    says: "A fault holds a call, which waits until the fault is released. A script waits for it to know that its call has arrived. It has no id: `GET /_sandbox/faults` lists the calls that are held.",
  },
  released: {
    data: "HoldEvent",
    says: "A call is no longer held: it was released, or its client, a reset or a stop ended it. It has no id.",
  },
  missed: {
    data: "MissedEvent",
    says: "Ahead of the events of a reader who continues from the records, where those leave something out. It has no id.",
  },
};

/** One event of the stream: its fields as they stand on its lines. */
export function eventSchema(): JsonSchema {
  return {
    description: "One event of the stream, by its fields; `data` is JSON on one line.",
    examples: [{ id: "41", event: "payin", data: JSON.stringify(EXAMPLES.Payin) }],
    oneOf: Object.entries(EVENTS).map(([event, { data, says }]) => ({
      type: "object",
      description: says,
      properties: {
        ...(!WITHOUT_ID.has(event) && { id: { type: "string", pattern: "^[0-9]+$" } }),
        event: { type: "string", const: event },
        data: {
          type: "string",
          contentMediaType: "application/json",
          contentSchema: { $ref: `#/components/schemas/${data}` },
        },
      },
      required: WITHOUT_ID.has(event) ? ["event", "data"] : ["id", "event", "data"],
      additionalProperties: false,
    })),
  };
}

/** The stream as an answer. OpenAPI 3.1 has no word for the parts of a stream, so that an extension names it. */
export function streamContent(): JsonSchema {
  return {
    "text/event-stream": {
      schema: { type: "string" },
      "x-item-schema": { $ref: "#/components/schemas/StreamEvent" },
      example: EXAMPLE,
    },
  };
}

/** Where a reader begins. */
export function streamParameters(): readonly JsonSchema[] {
  return [
    {
      name: "last-event-id",
      in: "header",
      description:
        "The id of the last event that was seen, as an `EventSource` sends it when it connects again; it goes before `since`.",
      schema: { type: "string", pattern: PLACE },
      example: "41",
    },
    {
      name: "since",
      in: "query",
      description:
        "Begins behind the event with this number, behind the first attempt of the delivery with this id (`evt_…`), or with `all` at the beginning. Without it and without `last-event-id` the stream begins now.",
      schema: { type: "string", pattern: PLACE },
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
        "The stream that the number belongs to, as `connected` named it. Where that is not this one, all of this one is unseen and is told from the beginning.",
      schema: { type: "string" },
    },
  ];
}

const PLACE = "^(?:all|[0-9]{1,15}|evt_.*)?$";

const EXAMPLE = `id: 41
event: connected
data: {"stream":"5f0c1d2e3a4b5968"}

: still here

event: missed
data: {"after":41,"up_to":44}

`;

/** How the stream is read, at length. */
export const STREAM_IN_WORDS = `Streams what happens, as server-sent events:
${Object.entries(EVENTS)
  .map(([name, { says }]) => `\n- \`${name}\`: ${says}`)
  .join("")}

An event's \`id\` is its number in the one ordered stream of the sandbox. Numbers only ever grow, also across a restart of the same state, and skip what belongs to other integrations where \`x-api-token\` names one. What is told is durable. A comment (a line that begins with \`:\`) comes every 15 seconds, so that a quiet connection does not look dead.

**To resume**, send the last \`id\` as \`last-event-id\`, and the name that \`connected\` gave as \`stream\`. Nothing is told twice, and nothing is left out without \`missed\`.

**\`missed\`** comes where a reader was away, or was so slow, that the events are no longer held: it continues from the records. They still tell of each payin and payout as it is now, and of each delivery that is kept its beginning and every attempt. What they do not tell is how a payin or payout was before, and deliveries that were dropped from history. Its \`after\` and \`up_to\` are the numbers between which that may be so. Read the records (\`GET /_sandbox/payins\` and the like) where that matters.`;
