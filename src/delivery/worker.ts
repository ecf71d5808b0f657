import { setMaxListeners } from "node:events";
import { type Delivery, timestampSeconds } from "../core/delivery.ts";
import type { Gateway } from "../core/gateway.ts";
import type { Courier } from "../core/ports.ts";
import { Gate } from "./gate.ts";
import { Sender } from "./send.ts";
import { sign } from "./signature.ts";

/** How many attempts are in flight at once: in all, and to one origin, so that a dead one starves nobody. */
const MAX_IN_FLIGHT = { inAll: 256, each: 16 };
/** How long the next first attempt to an address waits for the answer to the one before, in real time. */
const PATIENCE_MS = 1000;
/** How long a stop waits for attempts in flight; what is cut short is sent again after a restart. */
const GRACE_MS = 1000;

/**
 * Carries deliveries out, at most so many at once. First attempts to one address leave in the order
 * of their events: each waits for the answer to the one before, but not for long, and not for its retries.
 */
export class DeliveryWorker implements Courier {
  readonly #gateway: Gateway;
  readonly #secret: string;
  readonly #userAgent: string;
  readonly #sender = new Sender();
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** For each address, when the last first attempt in line lets the next one go. */
  readonly #lines = new Map<string, Promise<void>>();
  readonly #gate = new Gate(MAX_IN_FLIGHT);
  #isStopped = false;

  constructor({
    gateway,
    secret,
    userAgent,
  }: {
    gateway: Gateway;
    secret: string;
    userAgent: string;
  }) {
    this.#gateway = gateway;
    this.#secret = secret;
    this.#userAgent = userAgent;
    // Every attempt in flight listens to it.
    setMaxListeners(0, this.#stopping.signal);
  }

  start(delivery: Delivery): void {
    if (this.#isStopped) return;
    // A retry can fall due while the attempt before it is still being written down.
    const before = this.#running.get(delivery.id) ?? Promise.resolve();
    const run = before
      .then(() =>
        delivery.attempts.length === 0
          ? this.#attemptInLine(delivery)
          : this.#attempt(delivery, noop),
      )
      // What the store could not keep, the store reports; the delivery stays due.
      .catch(noop)
      .finally(() => {
        if (this.#running.get(delivery.id) === run) this.#running.delete(delivery.id);
      });
    this.#running.set(delivery.id, run);
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Begins no more attempts; those in flight have a moment to end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const grace = setTimeout(() => this.#stopping.abort(), this.#running.size > 0 ? GRACE_MS : 0);
    await this.idle();
    clearTimeout(grace);
    this.#sender.close();
  }

  async #attemptInLine(delivery: Delivery): Promise<void> {
    const before = this.#lines.get(delivery.url);
    const { promise: gone, resolve: go } = withResolvers();
    this.#lines.set(delivery.url, gone);
    try {
      await before;
      await this.#attempt(delivery, go);
    } finally {
      go();
      if (this.#lines.get(delivery.url) === gone) this.#lines.delete(delivery.url);
    }
  }

  async #attempt({ id, url }: Delivery, letNextGo: () => void): Promise<void> {
    const { origin } = new URL(url);
    await this.#gate.enter(origin);
    let patience: NodeJS.Timeout | undefined;
    try {
      const delivery = await this.#gateway.delivery(id);
      if (!delivery || delivery.nextAttemptAtMs === null || this.#isStopped) return;
      patience = setTimeout(letNextGo, PATIENCE_MS);
      await this.#send(delivery);
    } finally {
      clearTimeout(patience);
      this.#gate.leave(origin);
    }
  }

  async #send({ id, integration, url, body }: Delivery): Promise<void> {
    const assumptions = this.#gateway.assumptionsOf(integration);
    const atMs = Date.now();
    const timestamp = timestampSeconds({ atMs });
    const signature =
      assumptions["webhook.signature"] === "none" ? null : sign(this.#secret, id, timestamp, body);
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
      signal: this.#stopping.signal,
    });
    if (this.#stopping.signal.aborted && outcome.status === null) return;
    await this.#gateway.recordAttempt(id, { ...outcome, atMs, signature });
  }
}

function noop(): void {}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = noop;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
