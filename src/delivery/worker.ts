import {
  attemptsMade,
  type AttemptResult,
  type Delivery,
  timestampSeconds,
} from "../core/webhooks/delivery.ts";
import { behaviorOf, writeEffect } from "../core/faults/effects.ts";
import type { Gateway } from "../core/gateway.ts";
import type { WebhookSender } from "../core/ports.ts";
import { AttemptLimiter } from "./limiter.ts";
import { clearTimeout, setTimeout, wallNowMs } from "../platform/real-time.ts";
import { type Destinations, Sender } from "./sender.ts";
import { sign } from "./signature.ts";

/** How long others wait for the answer to an attempt, in real time: the next to its address, and those to its origin. */
const PATIENCE_MS = 1000;
/** How long a stop waits for attempts in flight; what is cut short is sent again after a restart. */
const GRACE_MS = 1000;

/**
 * Carries deliveries out, at most so many at once. An integration's first attempts to one address leave in
 * the order of their events, and arrive so: each waits for the answer to the one before, but not for long,
 * and not for its retries.
 */
export class DeliveryWorker implements WebhookSender {
  readonly #gateway: Gateway;
  readonly #secretOf: (integration: string) => string;
  readonly #userAgent: string;
  readonly #sender: Sender;
  /** By the delivery's id. */
  readonly #running = new Map<string, Run>();
  /** For each integration's address, when the last first attempt in line lets the next one go. */
  readonly #lines = new Map<string, Promise<void>>();
  readonly #limiter = new AttemptLimiter();
  #isStopped = false;
  #isCutShort = false;

  constructor(parts: {
    gateway: Gateway;
    /** What signs an integration's webhooks. */
    secretOf: (integration: string) => string;
    userAgent: string;
    destinations: Destinations;
  }) {
    this.#gateway = parts.gateway;
    this.#secretOf = parts.secretOf;
    this.#userAgent = parts.userAgent;
    this.#sender = new Sender(parts.destinations);
  }

  start(delivery: Delivery): void {
    if (this.#isStopped) return;
    const isFirst = delivery.attempts.length === 0;
    // What the store could not keep, the store reports; the delivery stays due.
    this.#run(delivery, (signal) =>
      isFirst ? this.#attemptInLine(delivery, signal) : this.#attempt(delivery, { signal }),
    ).catch(noop);
  }

  async resend(delivery: Delivery): Promise<void> {
    if (!this.#isStopped)
      await this.#run(delivery, (signal) => this.#attempt(delivery, { signal, isResend: true }));
  }

  drop(integration: string | null): void {
    for (const [id, run] of this.#running) {
      if (integration !== null && run.integration !== integration) continue;
      // What comes in its place may have its id, and is not to wait for it.
      this.#running.delete(id);
      run.dropping.abort();
    }
  }

  async underWay(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async idle(integration: string | null): Promise<void> {
    for (;;) {
      const runs = [...this.#running.values()].filter(
        (run) => integration === null || run.integration === integration,
      );
      if (runs.length === 0) return;
      await Promise.all(runs.map(({ ended }) => ended));
    }
  }

  /** Begins no more attempts; those in flight have a moment to end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const grace = setTimeout(
      () => {
        this.#isCutShort = true;
        this.#sender.abort(new Error("the sandbox stopped"));
      },
      this.#running.size > 0 ? GRACE_MS : 0,
    );
    await this.idle(null);
    clearTimeout(grace);
    this.#sender.close();
  }

  /** One at a time: a retry can fall due while the attempt before it is still being written down. */
  #run({ id, integration }: Delivery, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const running = this.#running.get(id);
    const before = running?.ended ?? Promise.resolve();
    // Those that wait for one another are dropped together.
    const dropping = running?.dropping ?? new AbortController();
    const result = before.then(() => work(dropping.signal));
    const ended = result.catch(noop).then(() => {
      if (this.#running.get(id)?.ended === ended) this.#running.delete(id);
    });
    this.#running.set(id, { integration, ended, dropping });
    return result;
  }

  async #attemptInLine(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const address = `${delivery.url} ${delivery.integration}`;
    const before = this.#lines.get(address);
    const { promise: gone, resolve: letNextGo } = withResolvers();
    this.#lines.set(address, gone);
    try {
      await this.#attempt(delivery, { signal, before, letNextGo });
    } finally {
      letNextGo();
      if (this.#lines.get(address) === gone) this.#lines.delete(address);
    }
  }

  async #attempt(
    { id, integration, url, nextAttemptAtMs: dueMs }: Delivery,
    { signal, before, letNextGo = noop, isResend = false }: Circumstances,
  ): Promise<void> {
    // What it tells of must be durable. That is waited for out here: inside, it would hold others up.
    await this.#gateway.delivery(id);
    await before;
    const place = await this.#limiter.enter({ integration, url });
    const delivery = this.#gateway.deliveryNow(id);
    // Gone meanwhile, or dealt with.
    const isDue = delivery && (delivery.nextAttemptAtMs === dueMs || isResend);
    // By the id of one that was dropped there may be another one by now.
    if (!isDue || this.#isStopped || signal.aborted) return place.leave();
    const patience = setTimeout(() => {
      letNextGo();
      place.makeWay();
    }, PATIENCE_MS);
    const isTwice = delivery.attempts.length === 0 && behaviorOf(delivery.fault).isSentTwiceAtOnce;
    const again = isTwice ? this.#post(delivery, signal) : [];
    const isSent = !isDropped(delivery, isResend);
    const results = isSent ? await this.#post(delivery, signal) : [drop(delivery)];
    clearTimeout(patience);
    // Others need not wait until it is written down.
    letNextGo();
    if (signal.aborted) return place.leave();
    place.leave(isSent ? { isAnswered: results.at(-1)?.status !== null } : undefined);
    const isExtra = isResend || delivery.status === "delivered";
    for (const result of results) if (!signal.aborted) await this.#record(id, result, isExtra);
    for (const second of await again) if (!signal.aborted) await this.#record(id, second, true);
  }

  /** Makes an attempt, and at once one more over a new connection if a kept one was lost under it. */
  async #post(delivery: Delivery, signal: AbortSignal): Promise<AttemptResult[]> {
    const result = await this.#send(delivery, signal);
    if (!result.isStaleConnection) return [result];
    return [result, await this.#send(delivery, signal, { isOnNewConnection: true })];
  }

  /** @param isExtra whether it is none of the attempts that a delivery makes until it is delivered */
  async #record(id: string, result: AttemptResult, isExtra: boolean): Promise<void> {
    if (this.#isCutShort && result.status === null) return;
    await this.#gateway.recordAttempt(id, isExtra ? { ...result, isResend: true } : result);
  }

  async #send(
    { id, integration, url, body, fault }: Delivery,
    signal: AbortSignal,
    { isOnNewConnection = false } = {},
  ): Promise<AttemptResult> {
    const assumptions = this.#gateway.assumptionsOf(integration);
    const atMs = wallNowMs();
    const timestamp = timestampSeconds({ atMs });
    const signed = behaviorOf(fault).signedText(body);
    const signature =
      assumptions["webhook.signature"] === "none"
        ? null
        : sign(this.#secretOf(integration), id, timestamp, signed);
    const outcome = await this.#sender.post({
      url,
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": this.#userAgent,
        ...(signature !== null && {
          "webhook-id": id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": signature,
        }),
      },
      timeoutMs: assumptions["webhook.timeout_seconds"] * 1000,
      isOnNewConnection,
      signal,
    });
    return { ...outcome, atMs, signature };
  }
}

/** Whether a fault keeps an attempt from being sent; one that somebody asks for is sent. */
function isDropped(delivery: Delivery, isResend: boolean): boolean {
  return !isResend && behaviorOf(delivery.fault).dropsAttempt(attemptsMade(delivery));
}

function drop({ fault }: Delivery): AttemptResult {
  const error = `not sent: the fault ${fault ? writeEffect(fault) : ""} drops this attempt`;
  return { atMs: wallNowMs(), durationMs: 0, status: null, error, signature: null, response: null };
}

/** What an attempt waits for, and what waits for it. */
interface Circumstances {
  /** Says that it is given up. */
  readonly signal: AbortSignal;
  /** Resolves when those before it in line let it go. */
  readonly before?: Promise<void> | undefined;
  readonly letNextGo?: () => void;
  readonly isResend?: boolean;
}

/** What is under way for one delivery. */
interface Run {
  readonly integration: string;
  /** Resolves, however it ends. */
  readonly ended: Promise<void>;
  readonly dropping: AbortController;
}

function noop(): void {}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = noop;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
