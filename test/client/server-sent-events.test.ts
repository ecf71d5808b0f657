import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../src/client/calls.ts";
import type { ServerSentEvent } from "../../src/wire/server-sent-events.ts";

const STREAM = [
  'id: 7\nevent: connected\ndata: {"stream":"é"}\n\n',
  ": still here\n\n",
  'data:{"a":": 1"}\n\n',
  "event: nothing\n\n",
  "id: 8\nevent: attempt\ndata: 2\n\n",
  "id: 9\nevent: attempt\ndata: cut sh",
].join("");
const EVENTS: readonly ServerSentEvent[] = [
  { id: "7", event: "connected", data: '{"stream":"é"}' },
  { id: undefined, event: "message", data: '{"a":": 1"}' },
  { id: "8", event: "attempt", data: "2" },
];

describe("an event stream", () => {
  it("has the same events wherever its bytes are divided", async () => {
    const bytes = Buffer.from(STREAM);
    for (let at = 0; at <= bytes.length; at++)
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(EVENTS);
    expect(await read([...bytes].map((byte) => Buffer.of(byte)))).toEqual(EVENTS);
  });
});

async function read(chunks: readonly Buffer[]): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of eventsOf(Readable.from(chunks))) events.push(event);
  return events;
}
