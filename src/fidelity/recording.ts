import * as z from "zod";
import { say } from "../text/message.ts";
import type { Exchange, SeenWebhook } from "./exchange.ts";

/** The first line of a recording. Each further line is an event, in the order of their ends. */
export interface RecordingStart {
  readonly type: "pix-sandbox-recording";
  readonly version: 1;
  /** In epoch milliseconds. */
  readonly atMs: number;
  /** Whether webhooks went through the recorder. */
  readonly hasWebhooks: boolean;
}

/** A webhook that a recorder has passed on. */
export type RecordedWebhook = Omit<SeenWebhook, "heldMs"> & { readonly url: string };

export type RecordedEvent =
  | { readonly type: "call"; readonly call: Exchange }
  | { readonly type: "webhook"; readonly webhook: RecordedWebhook }
  /** Nothing came between the last event and this time. */
  | { readonly type: "end"; readonly atMs: number };

/** What an application and a gateway have sent each other. */
export interface Recording extends RecordingStart {
  readonly endMs: number;
  /** In the order in which they were sent. */
  readonly calls: readonly Exchange[];
  readonly webhooks: readonly RecordedWebhook[];
}

/** Names and values that HTTP can carry. */
const headers = z.record(
  z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/),
  z.string().regex(/^[\t -~\u0080-\u00ff]*$/),
);
/** In epoch milliseconds: what a date can have. */
const time = z.number().min(0).max(8.64e15);
export const messageSchema = z.object({
  atMs: time,
  method: z.string(),
  headers,
  body: z.string(),
});
const responseSchema = z.object({ status: z.int(), headers, body: z.string() });
export const callSchema = messageSchema.extend({ path: z.string(), response: responseSchema });
const startSchema = z.object({
  type: z.literal("pix-sandbox-recording"),
  version: z.literal(1),
  atMs: time,
  hasWebhooks: z.boolean(),
});
const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("call"), call: callSchema }),
  z.object({ type: z.literal("webhook"), webhook: messageSchema.extend({ url: z.string() }) }),
  z.object({ type: z.literal("end"), atMs: time }),
]);

/**
 * Reads a recording. The last line may be torn: its writer was killed.
 * @returns the recording, or what is wrong
 */
export function readRecording(
  text: string,
): Recording | { readonly refusal: ReturnType<typeof say> } {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const start = startSchema.safeParse(parsed(lines[0])).data;
  if (!start) return { refusal: say`It is not a recording: write one with record --to FILE.` };
  const events: RecordedEvent[] = [];
  for (const [index, line] of lines.slice(1).entries()) {
    const event = eventSchema.safeParse(parsed(line)).data;
    if (event) events.push(event);
    else if (index < lines.length - 2) return { refusal: say`Its line ${index + 2} is damaged.` };
  }
  const calls = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
  const webhooks = events.flatMap((event) => (event.type === "webhook" ? [event.webhook] : []));
  const ends = events.flatMap((event) => (event.type === "end" ? [event] : []));
  return {
    ...start,
    calls: calls.toSorted((one, other) => one.atMs - other.atMs),
    webhooks: webhooks.toSorted((one, other) => one.atMs - other.atMs),
    endMs: [...calls, ...webhooks, ...ends, start].reduce(
      (latest, { atMs }) => Math.max(latest, atMs),
      0,
    ),
  };
}

function parsed(line = ""): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
