import { isSuccess } from "../../review/webhook-answer.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import { createSender, type PostOutcome, type Sender } from "../../server/tools/tools.ts";
import { headersOf, type SignedWebhook } from "../hand-made-webhook.ts";

/** How the handler responded to one webhook. */
export type Outcome = Pick<PostOutcome, "status" | "error" | "durationMs" | "location">;

/** How long one webhook waits for its response; more than the 5 s of `webhook_answer_slow`. */
export const LIMIT_MS = 6500;
/** A webhook with less time than this is not sent. */
const LEAST_MS = 250;

/** The handler under test. */
export class Handler {
  readonly url: string;
  readonly #sender: Sender;
  #untilMs: number;

  static async open(url: string, limitMs: number): Promise<Handler> {
    return new Handler(url, await createSender(), limitMs);
  }

  private constructor(url: string, sender: Sender, limitMs: number) {
    this.url = url;
    this.#sender = sender;
    this.#untilMs = monotonicNowMs() + limitMs;
  }

  /** Whether there is no time for another webhook. */
  get isTimeUp(): boolean {
    return this.#leftMs < LEAST_MS;
  }

  /** Allows more time, from now on. */
  extend(limitMs: number): void {
    this.#untilMs = monotonicNowMs() + limitMs;
  }

  async post(webhook: SignedWebhook): Promise<Outcome> {
    return this.#sender.post({
      url: this.url,
      body: webhook.body,
      headers: headersOf(webhook),
      timeoutMs: Math.max(LEAST_MS, Math.min(LIMIT_MS, this.#leftMs)),
      isOnNewConnection: true,
    });
  }

  abort(reason: Error): void {
    this.#sender.abort(reason);
  }

  close(): void {
    this.#sender.close();
  }

  get #leftMs(): number {
    return this.#untilMs - monotonicNowMs();
  }
}

export function isAccepted({ status }: Outcome): boolean {
  return isSuccess(status);
}
