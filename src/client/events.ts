import { type InCamelCase, toCamelCase } from "../text/plain/camel-case.ts";
import type { WebhookPayin, WebhookPayout, EventType } from "../core/records/transaction.ts";
import { assertEventType } from "./event-type.ts";
import type { WireDelivery } from "../core/state/wire.ts";
import { monotonicNowMs, setTimeout } from "../platform/real-time.ts";
import { type Calls, eventsOf, SandboxError } from "./calls.ts";
import type { ServerSentEvent } from "../wire/server-sent-events.ts";

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

/** Iterates over the webhooks that are created after this call. */
export function readWebhookEvents(client: Calls): AsyncIterableIterator<WebhookEvent> {
  const stop = new AbortController();
  const opened = client.openEvents(undefined, stop.signal);
  // The first call of `next` reports it.
  opened.catch(() => undefined);
  const events = webhooksOf(followEvents(client, stop.signal, { opened }));
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
  client: Calls,
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

async function* webhooksOf(events: AsyncIterable<ServerSentEvent>): AsyncGenerator<WebhookEvent> {
  for await (const { event, data } of events)
    if (event === "delivery") yield toWebhookEvent(JSON.parse(data) as WireDelivery);
}

/** How long a test tries to reach a sandbox that has ended the connection, such as for a restart. */
const RECONNECT_FOR_MS = 5000;
const RECONNECT_EVERY_MS = 100;

/**
 * Follows the event stream until `signal` aborts: after a lost connection it continues after the last event.
 * @param following.opened the first connection, if it is open already
 * @param following.lost returns, after each lost connection, for how many milliseconds it tries to reach the sandbox
 * @throws as {@link Calls.openEvents} does if the sandbox cannot be reached at first, or refuses one.
 */
export async function* followEvents(
  client: Calls,
  signal: AbortSignal,
  {
    opened = client.openEvents(undefined, signal),
    lost = () => RECONNECT_FOR_MS,
  }: {
    readonly opened?: Promise<AsyncIterable<Uint8Array>>;
    readonly lost?: () => number;
  } = {},
): AsyncGenerator<ServerSentEvent, undefined> {
  let body: AsyncIterable<Uint8Array> | undefined;
  try {
    body = await opened;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  while (body) {
    let lastId: string | undefined;
    for await (const event of eventsOf(body)) {
      if (signal.aborted) return;
      lastId = event.id;
      yield event;
    }
    body = signal.aborted ? undefined : await reopen(client, lastId, signal, lost());
  }
}

/** Undefined if the reader or the sandbox has stopped. */
async function reopen(
  client: Calls,
  lastId: string | undefined,
  signal: AbortSignal,
  patienceMs: number,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const endMs = monotonicNowMs() + patienceMs;
  while (!signal.aborted && monotonicNowMs() < endMs) {
    try {
      return await client.openEvents(lastId, signal);
    } catch (error) {
      if ((error as Error).name === "SandboxClosedError") return undefined;
      if (error instanceof SandboxError && error.status !== STOPPING) throw error;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_EVERY_MS));
    }
  }
  return undefined;
}

/** The status of a sandbox that is stopping. */
const STOPPING = 503;

function toWebhookEvent({ body, integration, url }: WireDelivery): WebhookEvent {
  return { ...toCamelCase(JSON.parse(body) as object), integration, url } as WebhookEvent;
}
