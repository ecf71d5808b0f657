export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events as they arrive. Drops an event that the connection cuts short.
 */
export async function* readEventStream(
  chunks: AsyncIterable<string>,
): AsyncGenerator<ServerSentEvent> {
  let text = "";
  for await (const chunk of chunks) {
    text += chunk;
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const lines = message.matchAll(/^([a-z]+): ?(.*)$/gm);
      const fields = new Map(Array.from(lines, ([, name, value = ""]) => [name, value]));
      const [id, event = "message", data] = ["id", "event", "data"].map((name) => fields.get(name));
      if (data !== undefined) yield { id, event, data };
    }
  }
}
