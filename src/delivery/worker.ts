import {
  attemptsMade,
  type AttemptResult,
  type Delivery,
  NOT_SENT,
  timestampSeconds,
} from "../core/records/delivery.ts";
import { behaviorOf, writeEffect } from "../core/faults/effects.ts";
import type { Gateway } from "../core/operations/gateway.ts";
import { type Lease, StorageError, type WebhookSender } from "../core/state/ports.ts";
import { Cancellation } from "./cancellation.ts";
import { AttemptLimiter } from "./limiter.ts";
import { UNTRUSTED_CERTIFICATE } from "../platform/http-request.ts";
import { createNextTurn } from "../platform/next-turn.ts";
import { clearTimeout, setTimeout, wallNowMs } from "../platform/real-time.ts";
import {
  type Destinations,
  type HostRewrites,
  type LocalReceiver,
  Sender,
  type WebhookRequest,
} from "./sender.ts";
import { sign } from "../webhook-diagnosis/signature.ts";

/** How long the next attempt to the same address or origin waits for a response, in real time. */
const PATIENCE_MS = 1000;
/** How long `stop` waits for attempts in flight. Aborted ones are repeated after a restart. */
const GRACE_MS = 1000;

/**
 * Sends webhooks, with limited concurrency. An integration's first attempts to one address arrive in the order of
 * their events: each waits a short time for the response to the one before, but not for its retries.
 */
export class DeliveryWorker implements WebhookSender {
  readonly #gateway: Gateway;
  readonly #secretOf: (integration: string) => string;
  readonly #userAgent: string;
  readonly #sender: Sender;
  readonly #lease: Lease | undefined;
  /** The runs under way, by delivery id. */
  readonly #running = new Map<string, Run>();
  /** For each integration's address: resolves when the last first attempt in line lets the next one start. */
  readonly #lines = new Map<string, Promise<void>>();
  readonly #limiter = new AttemptLimiter();
  readonly #listeners = new Set<(sent: SentWebhook) => void>();
  /** The pending deliveries whose content is known to be durable, since an attempt waited for it. */
  readonly #durable = new Set<string>();
  readonly #nextTurn = createNextTurn();
  #isStopped = false;
  #isCutShort = false;

  constructor(parts: {
    gateway: Gateway;
    /** The secret that signs an integration's webhooks. */
    secretOf: (integration: string) => string;
    userAgent: string;
    destinations: Destinations;
    receiveLocally?: LocalReceiver;
    hostRewrites?: HostRewrites;
    /** Whether to accept any certificate. */
    isInsecure?: boolean;
    /** Without it, nothing is sent. Absent if no other process can have it. */
    lease?: Lease | undefined;
  }) {
    this.#lease = parts.lease;
    this.#gateway = parts.gateway;
    this.#secretOf = parts.secretOf;
    this.#userAgent = parts.userAgent;
    const { destinations, receiveLocally, hostRewrites, isInsecure } = parts;
    this.#sender = new Sender(destinations, receiveLocally, hostRewrites, isInsecure);
  }

  start(delivery: Delivery): void {
    // Another process may lead. If none does, everything that is due is started again.
    if (this.#isStopped || this.#lease?.isHeld === false) return;
    const isFirst = delivery.attempts.length === 0;
    void this.#run(delivery, (cancellation) =>
      isFirst
        ? this.#attemptInLine(delivery, cancellation)
        : this.#attempt(delivery, { cancellation }),
    );
  }

  async resend(delivery: Delivery): Promise<void> {
    if (!this.#isStopped)
      await this.#run(delivery, (cancellation) =>
        this.#attempt(delivery, { cancellation, isResend: true }),
      );
  }

  /** Calls `listener` when an attempt begins; the returned function removes it. */
  onSend(listener: (sent: SentWebhook) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  drop(integration: string | null): void {
    // A new delivery may get the same id.
    this.#durable.clear();
    for (const [id, run] of this.#running) {
      if (integration !== null && run.integration !== integration) continue;
      // A new delivery may get the same id, and must not wait for this one.
      this.#running.delete(id);
      run.dropping.cancel();
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

  /** Starts no more attempts, and gives those in flight a moment to end. */
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

  /** Runs one attempt of a delivery at a time: a retry can fall due while the attempt before it is still being stored. */
  #run(
    { id, integration }: Delivery,
    work: (cancellation: Cancellation) => Promise<void>,
  ): Promise<void> {
    const running = this.#running.get(id);
    const before = running?.ended ?? Promise.resolve();
    // Runs of the same delivery are dropped together.
    const dropping = running?.dropping ?? new Cancellation();
    const result = before.then(() => work(dropping));
    const end = (): void => {
      if (this.#running.get(id)?.ended === ended) this.#running.delete(id);
    };
    const ended = result.then(end, end);
    this.#running.set(id, { integration, ended, dropping });
    return result;
  }

  async #attemptInLine(delivery: Delivery, cancellation: Cancellation): Promise<void> {
    const address = `${delivery.url} ${delivery.integration}`;
    const before = this.#lines.get(address);
    const { promise: gone, resolve: letNextGo } = withResolvers();
    this.#lines.set(address, gone);
    try {
      await this.#attempt(delivery, { cancellation, before, letNextGo });
    } finally {
      letNextGo();
      if (this.#lines.get(address) === gone) this.#lines.delete(address);
    }
  }

  async #attempt(
    { id, integration, url, nextAttemptAtMs: dueMs }: Delivery,
    { cancellation, before, letNextGo = noop, isResend = false }: AttemptOptions,
  ): Promise<void> {
    let lost: { readonly error: unknown } | undefined;
    // The webhook's content must be durable; earlier attempts need not be.
    const untilDurable = async (): Promise<void> => {
      try {
        await this.#gateway.durable();
        // The responses that waited for the same commit are sent first: no webhook overtakes them.
        await this.#nextTurn();
      } catch (error) {
        lost = { error };
        throw error;
      }
      if (!cancellation.isCanceled) this.#durable.add(id);
    };
    // Waits before taking a place, so as not to block others. A refused connection sends nothing: it need not wait.
    if (!this.#durable.has(id) && !this.#sender.isRefused(url)) await untilDurable();
    if (before) await before;
    const place = await this.#limiter.enter({ integration, url });
    const delivery = this.#gateway.deliveryNow(id);
    // It may have been removed or attempted meanwhile.
    const isDue = delivery && (delivery.nextAttemptAtMs === dueMs || isResend);
    // After a drop, the id may belong to another delivery.
    if (!isDue || this.#isStopped || cancellation.isCanceled) return place.leave();
    const patience = setTimeout(() => {
      letNextGo();
      place.makeWay();
    }, PATIENCE_MS);
    const maySend = (): Promise<void> | undefined =>
      this.#durable.has(id) ? undefined : untilDurable();
    const options = { cancellation, isResend, maySend };
    const isTwice = delivery.attempts.length === 0 && behaviorOf(delivery.fault).isSentTwiceAtOnce;
    const number = delivery.attempts.length + 1;
    // Its outcome is recorded second.
    const again = isTwice ? this.#post(delivery, number + 1, options) : undefined;
    const isSent = !isDropped(delivery, isResend);
    const results = isSent
      ? await this.#post(delivery, number, options)
      : [drop(delivery, this.#times())];
    clearTimeout(patience);
    // Others need not wait until the outcome is stored.
    letNextGo();
    if (lost) {
      place.leave();
      throw lost.error;
    }
    if (cancellation.isCanceled) return place.leave();
    place.leave(isSent ? { isAnswered: results.at(-1)?.status !== null } : undefined);
    const isExtra = isResend || delivery.status === "delivered";
    const stored = results.map((result) => this.#record(id, result, { isExtra, isResend }));
    for (const second of again ? await again : [])
      if (!cancellation.isCanceled)
        stored.push(this.#record(id, second, { isExtra: true, isResend }));
    if (this.#gateway.deliveryNow(id)?.status !== "pending") this.#durable.delete(id);
    if (isResend) await Promise.all(stored);
  }

  /** Makes an attempt, and at once another one over a new connection if a keep-alive one was stale. */
  async #post(
    delivery: Delivery,
    number: number,
    { isResend, ...options }: PostOptions & { readonly isResend: boolean },
  ): Promise<AttemptResult[]> {
    const sent = { delivery, ...this.#times(), isResend };
    for (const listener of this.#listeners) listener(sent);
    const send = (attemptNumber: number, more?: Pick<PostOptions, "isOnNewConnection">) => {
      const publish = (): void => {
        if (!options.cancellation?.isCanceled) this.#publishSent(delivery, attemptNumber, isResend);
      };
      const maySend = (): Promise<void> | undefined => {
        const untilDurable = options.maySend?.();
        if (untilDurable) return untilDurable.then(publish);
        publish();
        return undefined;
      };
      return this.#send(delivery, { ...options, ...more, maySend });
    };
    const result = await send(number);
    if (!result.isStaleConnection) return [result];
    return [result, await send(number + 1, { isOnNewConnection: true })];
  }

  /** Reports an attempt whose delivery is durable. */
  #publishSent(delivery: Delivery, attemptNumber: number, isResend: boolean): void {
    const { integration } = delivery;
    this.#gateway.notices.publish({
      kind: "sent",
      integration,
      delivery,
      attemptNumber,
      ...this.#times(),
      isResend,
    });
  }

  /**
   * Commits an attempt at once. A retry need not wait until the attempt before it is durable: a crash repeats them.
   * @param how.isExtra whether the attempt does not count among those that a delivery makes until it is delivered
   * @returns a promise that resolves at once; for a resend, when the attempt is durable
   */
  #record(
    id: string,
    result: AttemptResult,
    { isExtra, isResend }: { readonly isExtra: boolean; readonly isResend: boolean },
  ): Promise<void> {
    if (this.#isCutShort && result.status === null) return Promise.resolve();
    const attempt = isExtra ? { ...result, isResend: true } : result;
    if (isResend) {
      const stored = this.#gateway.recordAttempt(id, attempt);
      stored.catch(noop);
      return stored;
    }
    try {
      this.#gateway.noteAttempt(id, attempt);
    } catch (error) {
      // The store reports what it cannot write; the delivery stays due.
      if (!(error instanceof StorageError)) throw error;
    }
    return Promise.resolve();
  }

  #times(): AttemptTimes {
    const atMs = wallNowMs();
    const sandboxAtMs = this.#gateway.nowMs;
    return sandboxAtMs === atMs ? { atMs } : { atMs, sandboxAtMs };
  }

  async #send(
    { id, integration, url, body, fault }: Delivery,
    options: PostOptions,
  ): Promise<AttemptResult> {
    const assumptions = this.#gateway.assumptionsOf(integration);
    const times = this.#times();
    const timestamp = timestampSeconds(times);
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
      ...options,
    });
    const { error } = outcome;
    const isUntrusted = error !== null && UNTRUSTED_CERTIFICATE.test(error);
    const named = isUntrusted && { error: `${error}; --webhook-insecure accepts it` };
    return { ...outcome, ...named, ...times, signature };
  }
}

/** Whether a fault drops the attempt. A requested resend is always sent. */
function isDropped(delivery: Delivery, isResend: boolean): boolean {
  return !isResend && behaviorOf(delivery.fault).dropsAttempt(attemptsMade(delivery));
}

function drop({ fault }: Delivery, times: AttemptTimes): AttemptResult {
  const error = `${NOT_SENT}the fault ${fault ? writeEffect(fault) : ""} drops this attempt`;
  return { ...times, durationMs: 0, status: null, error, signature: null, response: null };
}

type PostOptions = Pick<WebhookRequest, "cancellation" | "maySend" | "isOnNewConnection">;

interface AttemptOptions {
  readonly cancellation: Cancellation;
  /** Resolves when the attempt before it in line lets it start. */
  readonly before?: Promise<void> | undefined;
  readonly letNextGo?: () => void;
  readonly isResend?: boolean;
}

/** When an attempt begins. */
type AttemptTimes = Pick<AttemptResult, "atMs" | "sandboxAtMs">;

export interface SentWebhook extends AttemptTimes {
  readonly delivery: Delivery;
  readonly isResend: boolean;
}

/** The attempts under way for one delivery. */
interface Run {
  readonly integration: string;
  /** Resolves when it ends, also after a failure. */
  readonly ended: Promise<void>;
  readonly dropping: Cancellation;
}

function noop(): void {}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = noop;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
