import {
  attemptsMade,
  type AttemptResult,
  type Delivery,
  NOT_SENT,
  timestampSeconds,
} from "../core/records/delivery.ts";
import { numberOf } from "../core/faults/effects.ts";
import type { Gateway } from "../core/operations/gateway.ts";
import { type Lease, StorageError, type WebhookSender } from "../core/state/ports.ts";
import { Limiter } from "./limiter.ts";
import { UNTRUSTED_CERTIFICATE } from "../platform/http-request.ts";
import { createNextTurn } from "../platform/pause.ts";
import { clearTimeout, setTimeout, wallNowMs } from "../platform/real-time.ts";
import { Sender, type SenderOptions } from "./sender.ts";
import { sign } from "../webhook-diagnosis/signature.ts";

/** How long the next attempt to the same address waits for a response, in real time. */
const PATIENCE_MS = 1000;
/** How long `stop` waits for attempts in flight. Aborted ones are repeated after a restart. */
const GRACE_MS = 1000;
/** The maximum of attempts in flight for one address of an integration, so that a receiver that hangs delays few others. */
const PER_ADDRESS = 8;
/** The maximum for one integration: no integration waits for the receivers of another. */
const PER_INTEGRATION = 1024;

/** Why an attempt ends early: its delivery is gone, whatever the response. */
const DROPPED = new Error("dropped");

interface WorkerParts extends SenderOptions {
  readonly gateway: Gateway;
  /** The secret that signs an integration's webhooks. */
  readonly secretOf: (integration: string) => string;
  readonly userAgent: string;
  /** Without it, nothing is sent. Absent if no other process can have it. */
  readonly lease?: Lease | undefined;
}

/**
 * Sends webhooks, with limited concurrency. An integration's first attempts to one address arrive in the order of
 * their events: each waits a short time for the response to the one before, but not for its retries.
 */
export class DeliveryWorker implements WebhookSender {
  readonly #parts: WorkerParts;
  readonly #gateway: Gateway;
  readonly #sender: Sender;
  /** The runs under way, by delivery id. */
  readonly #running = new Map<string, Run>();
  /** For each integration's address: resolves when the last first attempt in line lets the next one start. */
  readonly #lines = new Map<string, Promise<void>>();
  readonly #addresses = new Limiter(PER_ADDRESS);
  readonly #integrations = new Limiter(PER_INTEGRATION);
  readonly #nextTurn = createNextTurn();
  #isStopped = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#gateway = parts.gateway;
    this.#sender = new Sender(parts);
  }

  start(delivery: Delivery): void {
    // Another process may lead. If none does, everything that is due is started again.
    if (this.#isStopped || this.#parts.lease?.isHeld === false) return;
    const isFirst = delivery.attempts.length === 0;
    void this.#run(delivery, (signal) =>
      isFirst ? this.#attemptInLine(delivery, signal) : this.#attempt(delivery, { signal }),
    );
  }

  async resend(delivery: Delivery): Promise<void> {
    if (this.#isStopped) return;
    await this.#run(delivery, (signal) => this.#attempt(delivery, { signal, isResend: true }));
  }

  drop(integration: string | null): void {
    for (const [id, run] of this.#running) {
      if (integration !== null && run.integration !== integration) continue;
      // A new delivery may get the same id, and must not wait for this one.
      this.#running.delete(id);
      run.ending.abort(DROPPED);
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
    const grace = setTimeout(() => {
      for (const { ending } of this.#running.values()) ending.abort();
    }, GRACE_MS);
    await this.idle(null);
    clearTimeout(grace);
  }

  /** Runs one attempt of a delivery at a time: a retry can fall due while the attempt before it is still being stored. */
  #run({ id, integration }: Delivery, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const running = this.#running.get(id);
    const before = running?.ended ?? Promise.resolve();
    // Runs of the same delivery are dropped together.
    const ending = running?.ending ?? new AbortController();
    const result = before.then(() => work(ending.signal));
    const end = (): void => {
      if (this.#running.get(id)?.ended === ended) this.#running.delete(id);
    };
    const ended = result.then(end, end);
    this.#running.set(id, { integration, ended, ending });
    return result;
  }

  async #attemptInLine(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const address = addressOf(delivery);
    const before = this.#lines.get(address);
    let letNextGo = noop;
    const gone = new Promise<void>((resolve) => {
      letNextGo = resolve;
    });
    this.#lines.set(address, gone);
    try {
      await this.#attempt(delivery, { signal, before, letNextGo });
    } finally {
      letNextGo();
      if (this.#lines.get(address) === gone) this.#lines.delete(address);
    }
  }

  async #attempt(
    asItWas: Delivery,
    { signal, before, letNextGo = noop, isResend = false }: AttemptOptions,
  ): Promise<void> {
    // No webhook reports what a crash may undo.
    await this.#gateway.durable();
    // The responses that waited for the same commit are sent first: no webhook overtakes them.
    await this.#nextTurn();
    // Waits before taking a place, so as not to block others.
    await before;
    const leave = await this.#enter(asItWas);
    const delivery = this.#gateway.delivery(asItWas.id);
    // It may have been removed or attempted meanwhile.
    const isDue = delivery && (delivery.nextAttemptAtMs === asItWas.nextAttemptAtMs || isResend);
    // After a drop, the id may belong to another delivery.
    if (!isDue || this.#isStopped || signal.aborted) return leave();
    const patience = setTimeout(letNextGo, PATIENCE_MS);
    const number = delivery.attempts.length + 1;
    const isTwice = number === 1 && delivery.fault === "duplicate_at_once";
    const options = { signal, isResend };
    const first = isDropped(delivery, isResend)
      ? drop(delivery, this.#times())
      : this.#post(delivery, number, options);
    const second = isTwice ? this.#post(delivery, number + 1, options) : undefined;
    const result = await first;
    clearTimeout(patience);
    // Others need not wait until the outcome is stored.
    letNextGo();
    leave();
    const isExtra = isResend || delivery.status === "delivered";
    const stored = this.#record(delivery, result, { ...options, isExtra });
    // It may reject before it is awaited.
    stored.catch(noop);
    if (second) await this.#record(delivery, await second, { ...options, isExtra: true });
    await stored;
  }

  /** Resolves when an attempt may begin. @returns a function that lets another one begin */
  async #enter(delivery: Delivery): Promise<() => void> {
    const leaveAddress = await this.#addresses.enter(addressOf(delivery));
    const leaveIntegration = await this.#integrations.enter(delivery.integration);
    return () => {
      leaveAddress();
      leaveIntegration();
    };
  }

  /**
   * Commits an attempt at once, unless it was given up. A retry does not begin before it is durable.
   * @param options.isExtra whether the attempt does not count among those that a delivery makes until it is delivered
   * @returns a promise that resolves at once; for a resend, when the attempt is durable
   */
  async #record(
    { id }: Delivery,
    result: AttemptResult,
    { signal, isExtra, isResend }: PostOptions & { readonly isExtra: boolean },
  ): Promise<void> {
    if (signal.aborted && (signal.reason === DROPPED || result.status === null)) return;
    const attempt = isExtra ? { ...result, isResend: true } : result;
    const recorded = this.#gateway.recordAttempt(id, attempt);
    if (isResend) return recorded;
    recorded.catch((error: unknown) => {
      // The store reports what it cannot write; the delivery stays due.
      if (!(error instanceof StorageError)) throw error;
    });
  }

  #times(): AttemptTimes {
    const atMs = wallNowMs();
    const sandboxAtMs = this.#gateway.nowMs;
    return sandboxAtMs === atMs ? { atMs } : { atMs, sandboxAtMs };
  }

  /** Signs a webhook, and sends it. */
  async #post(
    delivery: Delivery,
    attemptNumber: number,
    { signal, isResend }: PostOptions,
  ): Promise<AttemptResult> {
    const { id, integration, url, body, fault } = delivery;
    const times = this.#times();
    const attempt = { integration, delivery, attemptNumber, isResend };
    this.#gateway.events.add({ kind: "sent", ...attempt, ...times });
    const assumptions = this.#gateway.assumptionsOf(integration);
    const timestamp = timestampSeconds(times);
    const signed = fault === "bad_signature" ? `${body} ` : body;
    const signature =
      assumptions["webhook.signature"] === "none"
        ? null
        : sign(this.#parts.secretOf(integration), id, timestamp, signed);
    const outcome = await this.#sender.post({
      url,
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": this.#parts.userAgent,
        ...(signature !== null && {
          "webhook-id": id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": signature,
        }),
      },
      timeoutMs: assumptions["webhook.timeout_seconds"] * 1000,
      signal,
    });
    const { error } = outcome;
    const isUntrusted = error !== null && UNTRUSTED_CERTIFICATE.test(error);
    const named = isUntrusted && { error: `${error}; --webhook-insecure accepts it` };
    return { ...outcome, ...named, ...times, signature };
  }
}

/** One address of one integration: integrations that share a URL do not wait for each other. */
function addressOf({ url, integration }: Delivery): string {
  return `${url} ${integration}`;
}

/** Whether a fault drops the attempt. A requested resend is always sent. */
function isDropped(delivery: Delivery, isResend: boolean): boolean {
  return !isResend && attemptsMade(delivery) < numberOf("drop_attempts", delivery.fault);
}

function drop({ fault }: Delivery, times: AttemptTimes): AttemptResult {
  const error = `${NOT_SENT}the fault ${fault ?? ""} drops this attempt`;
  return { ...times, durationMs: 0, status: null, error, signature: null, response: null };
}

interface PostOptions {
  readonly signal: AbortSignal;
  readonly isResend: boolean;
}

interface AttemptOptions extends Pick<PostOptions, "signal"> {
  /** Resolves when the attempt before it in line lets it start. */
  readonly before?: Promise<void> | undefined;
  readonly letNextGo?: () => void;
  readonly isResend?: boolean;
}

/** When an attempt begins. */
type AttemptTimes = Pick<AttemptResult, "atMs" | "sandboxAtMs">;

/** The attempts under way for one delivery. */
interface Run {
  readonly integration: string;
  /** Resolves when it ends, also after a failure. */
  readonly ended: Promise<void>;
  readonly ending: AbortController;
}

function noop(): void {}
