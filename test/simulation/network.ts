import type { WebhookRequest, PostOutcome, Sender } from "../../src/delivery/sender.ts";
import { deferred } from "../support/core.ts";
import type { Chance } from "./chance.ts";
import type { Chronicle } from "./chronicle.ts";
import type { Manner, Plan } from "./plan.ts";
import type { Mortal, SimulatedTime } from "./time.ts";

/** Who hears of the webhooks. */
export interface Listener {
  /** It leaves, and may or may not arrive. */
  left(posting: WebhookRequest): void;
  arrived(posting: WebhookRequest, status: number): void;
}

/** What a gateway sends its webhooks with in a simulation. */
export type SimulatedSender = Pick<Sender, "post">;

const LATENCY_MS = 0.05;
const RETRY_AFTER_MS = 7000;

/** What lies between the gateway and the merchant: messages take their time, and some are lost. */
export class SimulatedNetwork {
  readonly #time: SimulatedTime;
  readonly #chance: Chance;
  readonly #chronicle: Chronicle;
  readonly #plan: Plan;
  readonly #manners = new Map<string, Manner>();
  /** Nothing is lost any more, and whoever answered now and then answers always. */
  isCalm = false;

  constructor(parts: { time: SimulatedTime; chance: Chance; chronicle: Chronicle; plan: Plan }) {
    this.#time = parts.time;
    this.#chance = parts.chance;
    this.#chronicle = parts.chronicle;
    this.#plan = parts.plan;
    for (const [index, manner] of parts.plan.manners.entries())
      this.#manners.set(`http://127.0.0.1:${9001 + index}/hook`, manner);
  }

  /** The merchant's addresses. */
  get addresses(): readonly string[] {
    return [...this.#manners.keys()];
  }

  /** How long a message is under way; undefined where it is lost. */
  way(): number | undefined {
    if (!this.isCalm && this.#chance.is(this.#plan.loss)) return undefined;
    return this.#chance.between(LATENCY_MS, this.#plan.maxLatencyMs);
  }

  /** What a process sends its webhooks with. */
  senderOf(process: Mortal, listener: Listener): SimulatedSender {
    return { post: (posting) => this.#post(posting, process, listener) };
  }

  #post(posting: WebhookRequest, process: Mortal, listener: Listener): Promise<PostOutcome> {
    const startedAtMs = this.#time.nowMs;
    const { promise, resolve } = deferred<PostOutcome>();
    const end = (answer: Pick<PostOutcome, "status" | "error" | "retryAfterMs">): void => {
      this.#time.clear(timer);
      resolve({ durationMs: this.#time.nowMs - startedAtMs, response: null, ...answer });
    };
    const giveUp = (error: string): void => end({ status: null, error });
    const timer = this.#time.after(posting.timeoutMs, () => giveUp("no answer"), process);
    posting.signal?.addEventListener("abort", () => giveUp("it was given up"));
    listener.left(posting);
    const wayMs = this.way();
    if (wayMs === undefined) return promise;
    this.#time.after(wayMs, () => {
      const { status, waitMs } = this.#answerAt(posting.url);
      listener.arrived(posting, status);
      const wayBackMs = this.way();
      if (wayBackMs === undefined) return this.#chronicle.meet("webhook arrived, answer lost");
      const retryAfterMs = status === 503 ? { retryAfterMs: RETRY_AFTER_MS } : {};
      const answer = { status, error: null, ...retryAfterMs };
      this.#time.after(waitMs + wayBackMs, () => end(answer), process);
    });
    return promise;
  }

  #answerAt(url: string): { readonly status: number; readonly waitMs: number } {
    const manner = this.#manners.get(url) ?? "well";
    if (manner === "failing") return { status: 500, waitMs: 0 };
    if (manner === "gone" && this.#chance.is(0.3)) return { status: 410, waitMs: 0 };
    if (this.isCalm) return { status: 200, waitMs: 0 };
    if (manner === "slow") return { status: 200, waitMs: this.#chance.between(0, 15_000) };
    if (manner === "flaky" && this.#chance.is(0.6))
      return { status: this.#chance.pick([500, 503, 302]), waitMs: 0 };
    return { status: this.#chance.pick([200, 204]), waitMs: 0 };
  }
}
