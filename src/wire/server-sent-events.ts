export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events as they arrive. Drops an event that the connection cuts short.
 * @param chunks texts, or a Node.js stream
 */
export async function* readEventStream(
  chunks: AsyncIterable<unknown> & { setEncoding?(encoding: "utf8"): unknown },
): AsyncGenerator<ServerSentEvent> {
  chunks.setEncoding?.("utf8");
  let text = "";
  for await (const chunk of chunks) {
    text += chunk as string;
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const event = readMessage(message);
      if (event) yield event;
    }
  }
}

function readMessage(message: string): ServerSentEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of message.split("\n")) {
    const [, name, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const data = fields.get("data");
  return data === undefined
    ? undefined
    : { id: fields.get("id"), event: fields.get("event") ?? "message", data };
}
