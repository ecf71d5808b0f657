import { batch, signal } from "@preact/signals";
import { readEventStream } from "../../wire/server-sent-events.ts";
import { controlHeaders, scope } from "./control.ts";
import {
  apply,
  integrations,
  loadAll,
  loadIntegrations,
  rememberFor,
  showChanges,
} from "./sandbox.ts";
import { trace } from "./trace.ts";
import type { PageEvent } from "./wire.ts";

/** Whether the page shows what happens: it is loading, up to date, paused, or without a connection. */
export type Connection = "connecting" | "live" | "reconnecting" | "lost";

export const connection = signal<Connection>("connecting");
/** Whether the user has stopped the changes of what is shown. */
export const isPaused = signal(false);
/** How many events have arrived since then. */
export const waiting = signal(0);

/** The waits before the next attempts to connect. */
const RETRY_AFTER_MS = [300, 1000, 2000, 5000];
/** The sandbox sends something every 15 seconds. */
const SILENT_AFTER_MS = 40_000;
/** More events than these are loaded anew instead of applied. */
const MAX_QUEUED = 20_000;
/** The shortest time between two draws of events: with many of them, a list that changes in each frame cannot be read. */
const DRAW_AFTER_MS = 50;
/** How often a hidden page applies events: it has no animation frames. */
const HIDDEN_FRAME_MS = 1000;

let queue: PageEvent[] = [];
/** Whether the lists are loaded. */
let isLoaded = false;
/** How many times they began to load. */
let loads = 0;
/** Whether events were lost, or the records were replaced. */
let mustReload = false;
let isScheduled = false;
let drawnAtMs = 0;
/** The last event that the page has read. */
let lastId: string | undefined;
let abort = new AbortController();
/** Whether the page itself has ended the connection. */
let isReloading = false;

/** Follows the sandbox's events for as long as the page is open. A trace has none: its records are loaded once. */
export async function follow(): Promise<void> {
  if (trace) return loadTrace();
  for (let failures = 0; ; failures++) {
    try {
      await readEvents(() => {
        failures = 0;
      });
    } catch {
      // It is tried again below.
    }
    if (isReloading) {
      isReloading = false;
      connection.value = "connecting";
      continue;
    }
    connection.value = failures < RETRY_AFTER_MS.length ? "reconnecting" : "lost";
    await new Promise((resolve) => {
      endWait = () => resolve(undefined);
      setTimeout(resolve, RETRY_AFTER_MS[failures] ?? RETRY_AFTER_MS.at(-1));
    });
  }
}

let endWait = (): void => undefined;

/** Ends the wait before the next attempt to connect. */
export function retryNow(): void {
  endWait();
}

async function loadTrace(): Promise<void> {
  await loadAll();
  connection.value = "live";
}

/** Loads everything again, such as for another integration. */
export function reload(): void {
  if (trace) return void loadTrace();
  isReloading = true;
  isLoaded = false;
  lastId = undefined;
  abort.abort();
  retryNow();
}

export function pause(): void {
  isPaused.value = true;
}

export function resume(): void {
  isPaused.value = false;
  waiting.value = 0;
  schedule();
}

async function readEvents(onConnected: () => void): Promise<void> {
  const own = new AbortController();
  abort = own;
  const silence = new Silence(() => own.abort());
  try {
    const response = await fetch("/_sandbox/events", {
      headers: { ...controlHeaders(), ...(lastId !== undefined && { "last-event-id": lastId }) },
      signal: own.signal,
    });
    if (response.status === 401) location.reload();
    if (!response.ok || !response.body) throw new Error(response.statusText);
    for await (const { event, id, data } of readEventStream(textsOf(response.body, silence))) {
      const received = { kind: event, data: JSON.parse(data) as unknown } as PageEvent;
      if (received.kind === "connected") {
        onConnected();
        // Not awaited: the sandbox drops events of a page that does not read them.
        connected(received.data.stream).catch(() => own.abort());
      } else add(received);
      lastId = id ?? lastId;
    }
  } finally {
    silence.end();
  }
}

/**
 * Loads what happened before; later events are applied to it. A page that was only disconnected gets the events since,
 * or `missed`.
 */
async function connected(stream: string): Promise<void> {
  rememberFor(stream);
  if (!isLoaded) {
    // They are in the lists, or of another integration.
    queue = [];
    waiting.value = 0;
    await load();
  }
  connection.value = "live";
}

/** Loads everything; events wait until it is there. */
async function load(): Promise<void> {
  isLoaded = false;
  const own = ++loads;
  await loadAll();
  // A later call loads newer lists.
  if (own !== loads) return;
  isLoaded = true;
  schedule();
}

function add(event: PageEvent): void {
  if (queue.length < MAX_QUEUED) queue.push(event);
  else {
    queue = [];
    mustReload = true;
  }
  if (isPaused.value) waiting.value++;
  else schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  if (document.hidden) setTimeout(applyQueue, HIDDEN_FRAME_MS);
  else
    setTimeout(
      () => requestAnimationFrame(applyQueue),
      drawnAtMs + DRAW_AFTER_MS - performance.now(),
    );
}

function applyQueue(): void {
  isScheduled = false;
  drawnAtMs = performance.now();
  if (isPaused.value || !isLoaded) return;
  const events = queue;
  queue = [];
  batch(() => {
    for (const event of events) if (apply(event)) mustReload = true;
    showChanges();
  });
  if (events.some(({ data }) => isOfNewIntegration(data)))
    loadIntegrations().catch(() => undefined);
  if (!mustReload) return;
  mustReload = false;
  const current = abort;
  load().catch(() => current.abort());
}

function isOfNewIntegration(data: unknown): boolean {
  const { integration } = data as { integration?: string | null };
  return integration != null && scope.value === null && !integrations.value.includes(integration);
}

/** The texts of a body; not every browser can iterate over a stream. */
async function* textsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  silence: Silence,
): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    silence.restart();
    yield value;
  }
}

/** Calls `onSilence` if nothing arrives for a while: a connection can be dead without an end. */
class Silence {
  readonly #onSilence: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
    this.restart();
  }

  /** Starts the wait again: something has arrived. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onSilence, SILENT_AFTER_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
