import { nextPart } from "./parts.ts";

/** An answer, before any server sends it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A long or endless body is a stream. */
  readonly body: string | ReadableStream<Uint8Array> | null;
  /** Whether a fault breaks the connection in place of the answer. */
  readonly isLost?: boolean;
}

const JSON_HEADERS = { "content-type": "application/json" };

/** A 200, or another status, whose body is JSON text. */
export function toJsonAnswer(text: string, headers = JSON_HEADERS, status = 200): Answer {
  return { status, headers, body: text };
}

/** A 200, or another status, with a JSON value. */
export function toAnswer(value: unknown, status = 200): Answer {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(value) };
}

/** The same answer with more headers. */
export function withHeaders(answer: Answer, more: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...answer.headers, ...more } };
}

/** A 200 with a JSON object whose lists contain `toWire` of each item; a long one is written as it is read. */
export function toListAnswer<Item>(
  members: Readonly<Record<string, readonly Item[] | string | null>>,
  toWire: (item: Item) => unknown,
): Answer {
  const texts = textsOf(members, toWire);
  const first = nextPart(texts) ?? "";
  let next = nextPart(texts);
  if (next === undefined) return toJsonAnswer(first);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(first));
    },
    pull(controller) {
      if (next === undefined) return controller.close();
      controller.enqueue(encoder.encode(next));
      next = nextPart(texts);
    },
  });
  return { status: 200, headers: JSON_HEADERS, body };
}

/** The JSON of such an object, piece by piece. */
function* textsOf<Item>(
  members: Readonly<Record<string, readonly Item[] | string | null>>,
  toWire: (item: Item) => unknown,
): Generator<string, undefined> {
  let comma = "{";
  for (const [name, value] of Object.entries(members)) {
    yield `${comma}${JSON.stringify(name)}:`;
    comma = ",";
    if (value === null || typeof value === "string") yield JSON.stringify(value);
    else {
      yield "[";
      for (const [index, item] of value.entries())
        yield `${index > 0 ? "," : ""}${JSON.stringify(toWire(item))}`;
      yield "]";
    }
  }
  yield "}";
}
