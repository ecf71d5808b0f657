import { isLater, isSuccess } from "../../review/webhook-answer.ts";
import { pause } from "../../platform/pause.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import { headersOf, signBody, type SignedWebhook } from "../hand-made-webhook.ts";

/** How the handler responded to one webhook. */
export interface Outcome {
  /** Null without a response. */
  readonly status: number | null;
  /** Why there is no response. */
  readonly error: string | null;
  readonly durationMs: number;
  /** The target of a redirect. */
  readonly location?: string | undefined;
  /** What the handler says it runs on. */
  readonly software?: string | undefined;
  /** The time that the response's `retry-after` requests, if any. */
  readonly retryAfterMs?: number | undefined;
}

/** Sends webhooks; a failure is an outcome too. */
export interface WebhookSender {
  post(webhook: {
    readonly url: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    /** Ends it at any time. */
    readonly signal: AbortSignal;
  }): Promise<Outcome>;
}

/** How long one webhook waits for its response; more than the 5 s of `webhook_answer_slow`. */
const LIMIT_MS = 6500;
/** How much later a webhook is sent again at most. */
const LATEST_MS = 5000;
/** How long a handler may take to start again, and the pause between two attempts. */
const RESTART_MS = 20_000;
const AGAIN_MS = 200;
/** No handler knows it. */
const UNKNOWN_SECRET = "whsec_cmVzdGFydA==";
/** A webhook with less time than this is not sent. */
const LEAST_MS = 250;

/** The handler under test. */
export class Handler {
  readonly url: string;
  /** What it says it runs on, in a refusal. */
  software = "";
  /** Ends what is being sent, and leaves no time for another webhook. */
  readonly signal: AbortSignal;
  readonly #sender: WebhookSender;
  #untilMs: number;

  constructor(url: string, sender: WebhookSender, limitMs: number, signal: AbortSignal) {
    this.url = url;
    this.#sender = sender;
    this.#untilMs = monotonicNowMs() + limitMs;
    this.signal = signal;
    signal.addEventListener("abort", this.#abort);
  }

  /** Whether there is no time for another webhook. */
  get isTimeUp(): boolean {
    return this.#leftMs < LEAST_MS;
  }

  /** Allows more time, from now on. */
  extend(limitMs: number): void {
    this.#untilMs = monotonicNowMs() + limitMs;
  }

  /**
   * Sends a webhook, and again later if the response has a `retry-after`, as a gateway does.
   * @throws the reason of the signal if it is aborted meanwhile
   */
  async post(webhook: SignedWebhook): Promise<Outcome> {
    const outcome = await this.#postOnce(webhook);
    if (!isLater(outcome)) return outcome;
    await pause(Math.min(outcome.retryAfterMs ?? 0, LATEST_MS, this.#leftMs));
    return this.#postOnce(webhook);
  }

  /** Resolves when the handler responds again, whatever it says, or after a time. */
  async answers(): Promise<void> {
    const untilMs = monotonicNowMs() + RESTART_MS;
    const greeting = signBody("evt_restart", "{}", UNKNOWN_SECRET);
    while (monotonicNowMs() < untilMs && !this.isTimeUp) {
      if ((await this.#postOnce(greeting)).status !== null) return;
      await pause(AGAIN_MS);
    }
  }

  async #postOnce(webhook: SignedWebhook): Promise<Outcome> {
    const outcome = await this.#sender.post({
      url: this.url,
      body: webhook.body,
      headers: headersOf(webhook),
      timeoutMs: Math.max(LEAST_MS, Math.min(LIMIT_MS, this.#leftMs)),
      signal: this.signal,
    });
    this.signal.throwIfAborted();
    this.software = outcome.software ?? this.software;
    return outcome;
  }

  close(): void {
    this.signal.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => {
    this.#untilMs = 0;
  };

  get #leftMs(): number {
    return this.#untilMs - monotonicNowMs();
  }
}

export function isAccepted({ status }: Outcome): boolean {
  return isSuccess(status);
}
