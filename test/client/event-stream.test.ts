import { describe, expect, it } from "vitest";
import { Calls } from "../../src/client/calls.ts";
import { readWebhookEvents } from "../../src/client/events.ts";

const connected = (id: number): string => `id: ${id}\nevent: connected\ndata: {"stream":"s1"}\n\n`;
const delivery = (id: number, name: string): string => {
  const body = JSON.stringify({
    id: name,
    type: "payin.paid",
    created_at: "now",
    data: { pix_id: "x" },
  });
  const data = JSON.stringify({ body, integration: "shop", url: "http://w", type: "payin.paid" });
  return `id: ${id}\nevent: delivery\ndata: ${data}\n\n`;
};

/** A client whose event stream sends one of these texts for each connection, or fails with one of these errors. */
function clientOf(...connections: readonly (string | Error)[]) {
  const opened: string[] = [];
  const left = [...connections];
  const client = new Calls({
    url: "http://sandbox.test",
    send: (path, { headers }) => {
      opened.push(`${path} ${headers["last-event-id"]} ${headers["x-api-token"] ?? "-"}`);
      const next =
        left.shift() ?? Object.assign(new Error("closed"), { name: "SandboxClosedError" });
      if (next instanceof Error) return Promise.reject(next);
      return Promise.resolve({
        status: next === "" ? 503 : 200,
        body: (async function* () {
          // In the middle of a character, which has two bytes.
          const bytes = new TextEncoder().encode(next);
          const half = Math.floor(bytes.length / 2);
          yield bytes.subarray(0, half);
          yield bytes.subarray(half);
          if (next.includes("cut")) throw new Error("The connection is lost.");
        })(),
        json: () => Promise.resolve({ message: "Not now.", code: "EXTERNAL_ERROR", errors: [] }),
      });
    },
    identify: () => ({}),
    token: "shop",
    lastEvent: () => 7,
  });
  return { client, opened };
}

const readAll = async (client: Calls): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of readWebhookEvents(client)) ids.push(id);
  return ids;
};

describe("the reader of the event stream", () => {
  it("starts after the newest event, and yields each delivery with the API's names", async () => {
    const { client, opened } = clientOf(
      `${connected(7)}id: 8\nevent: payin\ndata: {}\n\n${delivery(9, "evt_é")}`,
    );
    const events = readWebhookEvents(client);
    expect(await events.next()).toEqual({
      done: false,
      value: {
        id: "evt_é",
        type: "payin.paid",
        createdAt: "now",
        data: { pixId: "x" },
        integration: "shop",
        url: "http://w",
      },
    });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(opened).toEqual(["/_sandbox/events 7 shop", "/_sandbox/events 9 shop"]);
  });

  it("continues after the last event that it has read, however often the connection ends", async () => {
    const { client, opened } = clientOf(
      `${connected(7)}${delivery(8, "a")}`,
      new TypeError("refused"),
      `${connected(8)}: cut\n\n${delivery(9, "b")}`,
      `${connected(9)}${delivery(10, "c")}`,
    );
    expect(await readAll(client)).toEqual(["a", "b", "c"]);
    expect(opened.map((line) => line.split(" ")[1])).toEqual(["7", "8", "8", "9", "10"]);
  });

  it("reports a first connection that is refused", async () => {
    const { client } = clientOf("");
    await expect(readAll(client)).rejects.toMatchObject({ status: 503, message: "Not now." });
  });

  it("ends without an error if it is stopped before the first connection", async () => {
    const { client } = clientOf(new Error("aborted"));
    const events = readWebhookEvents(client);
    expect(await events.return?.()).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(events[Symbol.asyncIterator]()).toBe(events);
  });
});
