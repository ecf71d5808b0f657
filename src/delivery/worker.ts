import { setMaxListeners } from "node:events";
import {
  type Attempt,
  attemptsMade,
  type Delivery,
  droppedBy,
  timestampSeconds,
} from "../core/records/delivery.ts";
import { numberOf } from "../core/faults/effects.ts";
import type { Gateway } from "../core/operations/gateway.ts";
import { type Lease, StorageError, type WebhookSender } from "../core/state/ports.ts";
import { toWireSent } from "../core/state/wire.ts";
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
/** How many attempts begin in one turn of the event loop: a burst holds up neither calls nor the responses to its first. */
const PER_TURN = 32;

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
  /** The attempts that wait or are in flight. */
  readonly #runs = new Set<Run>();
  /** The last of them for each delivery. */
  readonly #last = new Map<string, Run>();
  /** What ends the attempts of each integration early. */
  readonly #endings = new Map<string, AbortController>();
  /** Those of this turn, which wait until they are durable. */
  readonly #arrived: Run[] = [];
  /** First attempts wait for the one before to the same address; then all wait for two places, and for their turn. */
  readonly #lines = new Limiter<Run>(1, (run) => this.#addresses.enter(run.address, run));
  readonly #addresses = new Limiter<Run>(PER_ADDRESS, (run) =>
    this.#integrations.enter(run.delivery.integration, run),
  );
  readonly #integrations = new Limiter<Run>(PER_INTEGRATION, (run) => this.#beginSoon(run));
  readonly #ready: Run[] = [];
  readonly #nextTurn = createNextTurn();
  #isStopped = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#gateway = parts.gateway;
    this.#sender = new Sender(parts);
  }

  start(delivery: Delivery): void {
    if (this.#maySend) void this.#add(delivery, false);
  }

  /** Another process may lead. If none does, the lease is held again, and everything that is due is started anew. */
  get #maySend(): boolean {
    return !this.#isStopped && this.#parts.lease?.isHeld !== false;
  }

  async resend(delivery: Delivery): Promise<void> {
    const failure = this.#maySend ? await this.#add(delivery, true) : undefined;
    if (failure) throw failure;
  }

  drop(integration: string | null): void {
    for (const [owner, ending] of this.#endings) {
      if (integration !== null && owner !== integration) continue;
      this.#endings.delete(owner);
      ending.abort();
    }
    // A new delivery may get the same id, and must not wait for this one.
    for (const run of this.#runs) if (run.signal.aborted) this.#end(run);
  }

  async underWay(): Promise<void> {
    await Promise.all(this.#endsOf(null));
  }

  async idle(integration: string | null): Promise<void> {
    for (let ends = this.#endsOf(integration); ends.length > 0; ends = this.#endsOf(integration))
      await Promise.all(ends);
  }

  /** Starts no more attempts, and gives those in flight a moment to end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const grace = setTimeout(() => {
      for (const ending of this.#endings.values()) ending.abort();
    }, GRACE_MS);
    await this.idle(null);
    clearTimeout(grace);
  }

  /**
   * Adds an attempt. Those of a delivery run one at a time: a retry can fall due while the one before is being stored.
   * @returns what `ended` resolves with
   */
  #add(delivery: Delivery, isResend: boolean): Run["ended"] {
    const { id, url, integration } = delivery;
    let end!: Run["end"];
    const ended = new Promise<Error | undefined>((resolve) => (end = resolve));
    const run: Run = {
      delivery,
      isResend,
      isInLine: !isResend && delivery.attempts.length === 0,
      // Integrations that share a URL do not wait for each other.
      address: `${url} ${integration}`,
      signal: this.#signalOf(integration),
      ended,
      end,
    };
    const before = this.#last.get(id);
    this.#runs.add(run);
    this.#last.set(id, run);
    if (before) before.next = run;
    else this.#arrive(run);
    return ended;
  }

  /** One signal for all of an integration: they are dropped together. */
  #signalOf(integration: string): AbortSignal {
    const ending = this.#endings.get(integration) ?? new AbortController();
    this.#endings.set(integration, ending);
    setMaxListeners(0, ending.signal);
    return ending.signal;
  }

  #arrive(run: Run): void {
    if (this.#arrived.push(run) === 1) void this.#admit();
  }

  async #admit(): Promise<void> {
    await this.#nextTurn();
    const arrived = this.#arrived.splice(0);
    try {
      // No webhook reports what a crash may undo.
      await this.#gateway.durable();
    } catch (error) {
      for (const run of arrived) this.#end(run, error as Error);
      return;
    }
    for (const run of arrived)
      (run.isInLine ? this.#lines : this.#addresses).enter(run.address, run);
  }

  #endsOf(integration: string | null): Run["ended"][] {
    return [...this.#runs].flatMap(({ delivery, ended }) =>
      integration === null || delivery.integration === integration ? [ended] : [],
    );
  }

  /** Begins an attempt in the next turn: the responses that waited for the same commit are sent first. */
  async #beginSoon(run: Run): Promise<void> {
    if (this.#ready.push(run) > 1) return;
    while (this.#ready.length > 0) {
      await this.#nextTurn();
      const some = this.#ready.slice(0, PER_TURN);
      for (const one of some)
        this.#attempt(one).then(
          () => this.#end(one),
          (error: Error) => this.#end(one, error),
        );
      this.#ready.splice(0, some.length);
    }
  }

  #end(run: Run, error?: Error): void {
    if (!this.#runs.delete(run)) return;
    if (this.#last.get(run.delivery.id) === run) this.#last.delete(run.delivery.id);
    if (run.next) this.#arrive(run.next);
    run.end(error);
    // The store reports what it cannot write. Anything else is a fault of this program.
    if (error && !run.isResend && !(error instanceof StorageError)) throw error;
  }

  #leave(run: Run): void {
    this.#letNextGo(run);
    this.#addresses.leave(run.address);
    this.#integrations.leave(run.delivery.integration);
  }

  #letNextGo(run: Run): void {
    if (!run.isInLine) return;
    run.isInLine = false;
    this.#lines.leave(run.address);
  }

  async #attempt(run: Run): Promise<void> {
    const delivery = this.#gateway.delivery(run.delivery.id);
    const { isResend, signal } = run;
    // It may have been removed or attempted meanwhile.
    const isDue =
      delivery && (delivery.nextAttemptAtMs === run.delivery.nextAttemptAtMs || isResend);
    // After a drop, the id may belong to another delivery.
    if (!isDue || !this.#maySend || signal.aborted) return this.#leave(run);
    const patience = setTimeout(() => this.#letNextGo(run), PATIENCE_MS);
    const number = delivery.attempts.length + 1;
    const isTwice = number === 1 && delivery.fault === "duplicate_at_once";
    const first = this.#post(run, delivery, number);
    const second = isTwice ? this.#post(run, delivery, number + 1) : undefined;
    const result = await first;
    clearTimeout(patience);
    // Others need not wait until the outcome is stored.
    this.#leave(run);
    const isDuplicate = !isResend && delivery.status === "delivered";
    const stored = this.#record(run, { ...result, ...(isDuplicate && { isDuplicate }) });
    const twin = second?.then((one) => this.#record(run, { ...one, isDuplicate: true }));
    if (twin) await Promise.all([stored, twin]);
    else await stored;
  }

  /**
   * Commits an attempt at once, unless it was dropped or given up. A retry does not begin before it is durable.
   * @returns for a resend, a promise that resolves when the attempt is durable
   */
  #record(run: Run, attempt: Attempt): Promise<void> | undefined {
    if (!this.#runs.has(run) || (run.signal.aborted && attempt.status === null)) return undefined;
    const recorded = this.#gateway.recordAttempt(run.delivery.id, attempt);
    if (run.isResend) return recorded;
    recorded.catch((error: unknown) => {
      // The store reports what it cannot write; the delivery stays due.
      if (!(error instanceof StorageError)) throw error;
    });
    return undefined;
  }

  /** Signs a webhook, and sends it, unless a fault drops the attempt. A requested resend is always sent. */
  async #post(run: Run, delivery: Delivery, attemptNumber: number): Promise<Attempt> {
    const { id, integration, url, body, fault } = delivery;
    const { signal, isResend } = run;
    const atMs = wallNowMs();
    const sandboxAtMs = this.#gateway.clock.nowMs();
    const times = {
      atMs,
      ...(sandboxAtMs !== atMs && { sandboxAtMs }),
      ...(isResend && { isResend }),
    };
    if (!isResend && attemptsMade(delivery) < numberOf("drop_attempts", fault)) {
      const error = droppedBy(fault);
      return { ...times, durationMs: 0, status: null, error, signature: null, response: null };
    }
    const sent = toWireSent(delivery, attemptNumber, times);
    this.#gateway.events.add({ kind: "sent", integration, sent });
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
    const isUntrusted = UNTRUSTED_CERTIFICATE.test(outcome.error ?? "");
    const named = isUntrusted && { error: `${outcome.error}; --webhook-insecure accepts it` };
    return { ...outcome, ...named, ...times, signature };
  }
}

/** An attempt that waits or is in flight. */
interface Run {
  /** As it was when the attempt fell due. */
  readonly delivery: Delivery;
  readonly isResend: boolean;
  /** Whether first attempts to the same address wait for it. */
  isInLine: boolean;
  readonly address: string;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** Resolves when it has ended, also after a failure. */
  readonly ended: Promise<Error | undefined>;
  readonly end: (failure?: Error) => void;
  /** The next attempt of the same delivery. */
  next?: Run;
}
