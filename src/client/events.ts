import { type InCamelCase, toCamelCase } from "../text/plain/camel-case.ts";
import type { WebhookPayin, WebhookPayout, EventType } from "../core/records/transaction.ts";
import { assertEventType } from "./event-type.ts";
import type { WireDelivery } from "../core/state/wire.ts";
import { monotonicNowMs, setTimeout } from "../platform/real-time.ts";
import type { Client } from "./client.ts";
import { readEventStream } from "../wire/server-sent-events.ts";

/** A webhook that the sandbox has created: its body, with the API's names. */
export type WebhookEvent<Type extends EventType = EventType> = {
  readonly [One in Type]: {
    /** The webhook's id (`evt_…`). */
    readonly id: string;
    readonly type: One;
    readonly createdAt: string;
    readonly data: EventData<One>;
    readonly integration: string;
    /** The address that it is sent to. */
    readonly url: string;
  };
}[Type];

type EventData<Type extends EventType> = Type extends `payin.${string}`
  ? InCamelCase<WebhookPayin>
  : Type extends `payout.${string}`
    ? InCamelCase<WebhookPayout>
    : InCamelCase<WebhookPayin | WebhookPayout>;

/** How long a reader tries to reach a sandbox that has ended the connection, such as for a restart. */
const RECONNECT_FOR_MS = 5000;
const RECONNECT_EVERY_MS = 100;

/** Iterates over the webhooks that are created after this call. */
export function readWebhookEvents(client: Client): AsyncIterableIterator<WebhookEvent> {
  const stop = new AbortController();
  const opened = client.openEvents(undefined, stop.signal);
  // The first call of `next` reports it.
  opened.catch(() => undefined);
  const events = follow(client, opened, stop.signal);
  return {
    next: () => events.next(),
    return: async () => {
      // First: a call of `next` may be waiting for an event.
      stop.abort();
      await events.return(undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Calls `listener` with each webhook of a type from now on.
 * @throws TypeError for a type that does not exist.
 */
export function listenTo<Type extends EventType>(
  client: Client,
  type: Type,
  listener: (event: WebhookEvent<Type>) => unknown,
): () => void {
  assertEventType("on()", type);
  const events = readWebhookEvents(client);
  let isOff = false;
  const read = async (): Promise<void> => {
    for await (const event of events) {
      if (isOff) return;
      // An error of the listener is an unhandled rejection, and does not stop the others.
      if (event.type === type) void Promise.resolve(event as WebhookEvent<Type>).then(listener);
    }
  };
  // Calls of the test report that no sandbox responds.
  read().catch(() => undefined);
  return () => {
    isOff = true;
    void events.return?.();
  };
}

async function* follow(
  client: Client,
  opened: Promise<AsyncIterable<Uint8Array>>,
  signal: AbortSignal,
): AsyncGenerator<WebhookEvent, undefined> {
  let body: AsyncIterable<Uint8Array> | undefined;
  try {
    body = await opened;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  let lastId: string | undefined;
  while (body) {
    try {
      for await (const { id, event, data } of readEventStream(textOf(body))) {
        lastId = id;
        if (event === "delivery") yield toWebhookEvent(JSON.parse(data) as WireDelivery);
      }
    } catch {
      // The next connection repeats what a lost one has cut short.
    }
    body = lastId === undefined ? undefined : await reopen(client, lastId, signal);
  }
}

async function* textOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
}

/** Undefined if the reader or the sandbox has stopped. */
async function reopen(
  client: Client,
  lastId: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const endMs = monotonicNowMs() + RECONNECT_FOR_MS;
  while (!signal.aborted && monotonicNowMs() < endMs) {
    try {
      return await client.openEvents(lastId, signal);
    } catch (error) {
      if ((error as Error).name === "SandboxClosedError") return undefined;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_EVERY_MS));
    }
  }
  return undefined;
}

function toWebhookEvent({ body, integration, url }: WireDelivery): WebhookEvent {
  return { ...toCamelCase(JSON.parse(body) as object), integration, url } as WebhookEvent;
}
