import { LocalizedError } from "../../core/records/errors.ts";
import type { WirePayin, WirePayout } from "../../core/records/transaction.ts";
import { shortened } from "../../review/shortened.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type Calls, SandboxError } from "../../client/calls.ts";
import { ignoreFailedCall } from "../play-error.ts";
import { PlayError } from "../play-error.ts";
import { type Change, looksPaid } from "./effect-change.ts";
import type { Handler, Outcome } from "./handler.ts";
import { pause } from "../../platform/pause.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import { toEpochMs } from "../../wire/timestamp.ts";
import type { SignedWebhook, WebhookEvent } from "../hand-made-webhook.ts";
import { paymentOf } from "./webhook.ts";
import { type Message, say } from "../../text/message.ts";

/** An order of the merchant, which waits for its payment. */
export interface Order {
  readonly record: WirePayin;
  /** Its payin.paid. */
  readonly event: WebhookEvent;
  /** The secret of its integration. */
  readonly secret: string;
}

/** An order, and its effect before the first webhook. */
export interface OpenOrder extends Order {
  readonly before: string;
}

/** One order that was paid once. */
export interface PaidOnce extends OpenOrder {
  readonly after: string;
  readonly change: Change;
  /** An order as old that gets no webhook from the check: what happens to it happens to any. */
  readonly untouched: OpenOrder;
}

/** A rule cannot be judged. */
export class Unseen extends LocalizedError {
  override readonly name = "Unseen";
}

/** What the user says of the merchant. */
export interface MerchantOptions {
  /** The secret that the merchant has configured. Default: the sandbox's, of the order's integration. */
  readonly secret?: string | undefined;
  /** Reads what the merchant did about a transaction. */
  readonly effect?: ((record: Readonly<Record<string, unknown>>) => Promise<string>) | undefined;
}

export interface ShopOptions extends MerchantOptions {
  /** For all integrations. */
  readonly client: Calls;
  readonly handler: Handler;
  readonly order: () => Promise<string>;
  /** Whether it makes orders for the check. */
  readonly makesOrders: boolean;
  /** A payment that the sandbox has reported. */
  readonly paid: WebhookEvent;
  readonly nowMs: () => number;
}

/** How the text of an effect begins whose address responded with 404. */
export const EFFECT_NOT_FOUND = "404 ";

/** How long an effect that must come is waited for at least, and one that must not. */
export const COMES_MS = 10_000;
const STAYS_MS = 500;
/** The longest wait for the latter, unless the merchant itself was seen to take longer. */
const MOST_MS = 5000;
/** How much more time an effect gets than the slowest one that was seen. */
const PATIENCE = 3;
/** How much longer than planned the looks at an effect may take: on a busy machine all is slow, the merchant too. */
const STRETCH = 4;
const PAUSE_MS = 100;
/** A merchant can have several payouts to one receiver in line, and send the next one a while after the last. */
const LOOKS = 5;
const NEXT_MS = 1500;
/** How much earlier than the gateway a shop's clock can close an order. */
const ENDING_MS = 1000;
/** A text that changes by itself, such as with the time, does so within this time. */
const STABLE_MS = 1100;

/** The merchant's side: it creates orders, and acts on webhooks. */
export class Shop {
  readonly options: ShopOptions;
  readonly notes: Message[] = [];
  #secret: string | undefined;
  /** The order that was paid first, before any other: all others are compared with it. */
  example!: PaidOnce;
  /** Orders that were not paid. */
  readonly spare: OpenOrder[] = [];
  /** How long the slowest effect took to appear, and when the last webhook was sent. */
  #lagMs = 0;
  #sentAtMs = 0;

  /** Sandbox time. */
  readonly startedAtMs: number;

  constructor(options: ShopOptions) {
    this.options = options;
    this.startedAtMs = options.nowMs();
  }

  /** @throws PlayError if the sandbox does not have the transaction. */
  async newOrder(): Promise<Order> {
    const { client, order } = this.options;
    const id = await order();
    const record = await client.call("GET /payins/{id}", { id }).catch((error: unknown) => {
      if (error instanceof SandboxError && error.status === 404) throw unknownOrder(id);
      throw error;
    });
    this.#checkAddress(record);
    return this.orderOf(record);
  }

  /** An order that waits for its payment, and its effect. */
  async open(): Promise<OpenOrder> {
    const spare = this.spare.pop();
    const endsAtMs = spare ? toEpochMs(spare.record.expires_at) - ENDING_MS : 0;
    if (spare && this.options.nowMs() < endsAtMs) return spare;
    for (;;) {
      const order = await this.openAny();
      if (this.options.makesOrders || this.isUnpaid(order)) return order;
    }
  }

  /** An order that the gateway has as open: the merchant can have canceled it. */
  async openAny(): Promise<OpenOrder> {
    const order = await this.newOrder();
    return { ...order, before: await this.effectOf(order.record) };
  }

  /** Whether an order looked as the example did before its payment. */
  isUnpaid({ before, record }: OpenOrder): boolean {
    return looksPaid(before, { ...record }, this.example) === false;
  }

  async orderOf(record: WirePayin): Promise<Order> {
    const { client, paid, nowMs } = this.options;
    this.#secret ??=
      this.options.secret ?? (await client.as(record.integration).call("GET /secret")).secret;
    const event = paymentOf({ ...record }, paid, nowMs());
    return { record, event, secret: this.#secret };
  }

  send(webhook: SignedWebhook): Promise<Outcome> {
    this.#sentAtMs = monotonicNowMs();
    return this.options.handler.post(webhook);
  }

  /** Ends a payout of the merchant at the gateway, unless it has ended. */
  async settle({ id, integration }: WirePayout, action: "complete" | "cancel"): Promise<void> {
    const client = this.options.client.as(integration);
    await client.call(`POST /payouts/{id}/${action}`, { id }).catch(ignoreFailedCall);
    this.#sentAtMs = monotonicNowMs();
  }

  async effectOf(record: WirePayin | WirePayout): Promise<string> {
    const { effect, handler } = this.options;
    const text = (await effect?.({ ...record })) ?? "";
    handler.signal.throwIfAborted();
    return text;
  }

  /** How an effect changed. */
  describeMove(before: string, after: string): Message {
    return say`The effect changed from ${shortened(before)} to ${shortened(after)}.`;
  }

  /** An effect in a sentence. */
  shown(effect: string): string {
    return shortened(effect);
  }

  /**
   * The payouts that send an order's money back to its buyer. A merchant may hold one back while another one to its
   * receiver is in progress: those are completed.
   */
  async paidBack({ record }: Order): Promise<readonly WirePayout[]> {
    const { buyer_cpf, value, created_at, integration } = record;
    const client = this.options.client.as(integration);
    for (let round = 1; ; round++) {
      const { data } = await client.call("GET /payouts", { order: "desc", limit: 1000 });
      const own = data.filter(({ receiver_cpf }) => receiver_cpf === buyer_cpf);
      const waiting = own.filter(({ status }) => status === "waiting");
      for (const payout of waiting) await this.settle(payout, "complete");
      const back = own.filter((one) => one.value === value && one.created_at >= created_at);
      const isHeldBack = waiting.length > 0 || round > 1;
      if (back.length > 0 || !isHeldBack || round === LOOKS) return back;
      await pause(NEXT_MS);
    }
  }

  /** Resolves when all that was sent must have had its effect. */
  async quiet(): Promise<void> {
    await pause(this.#sentAtMs + this.#patienceMs - monotonicNowMs());
    this.options.handler.signal.throwIfAborted();
  }

  /** The effect after something that must move it: as soon as it `isDone`, or as it is in the end. */
  async movedEffect(
    { record }: Order,
    isDone: (effect: string) => boolean,
    limitMs = Math.max(COMES_MS, this.#patienceMs),
  ): Promise<string> {
    const startMs = monotonicNowMs();
    let last = await this.effectOf(record);
    let seenMs = isDone(last) ? 0 : undefined;
    const isOver = (): boolean => monotonicNowMs() - startMs >= limitMs * STRETCH;
    for (let pausedMs = 0; pausedMs < limitMs && !isOver(); pausedMs += PAUSE_MS) {
      await pause(PAUSE_MS);
      const now = await this.effectOf(record);
      if (isDone(now)) {
        seenMs ??= monotonicNowMs() - this.#sentAtMs;
        // Another step of the same change can follow.
        if (now === last) {
          this.#lagMs = Math.max(this.#lagMs, seenMs);
          return now;
        }
      }
      last = now;
    }
    return last;
  }

  /** @throws Unseen if the effect changes without a webhook. */
  async checkStable({ record, before }: OpenOrder): Promise<void> {
    await pause(STABLE_MS);
    if ((await this.effectOf(record)) !== before)
      throw new Unseen(
        say`The effect changes by itself, without a webhook. Print only what the merchant did.`,
      );
  }

  get #patienceMs(): number {
    const mostMs = Math.max(MOST_MS, this.#lagMs * 1.25);
    return Math.min(Math.max(this.#lagMs * PATIENCE, STAYS_MS), mostMs);
  }

  #checkAddress({ webhook_url }: WirePayin): void {
    const { url } = this.options.handler;
    if (this.notes.length > 0 || new URL(webhook_url).href === new URL(url).href) return;
    this.notes.push(
      say`The webhook_url of the order is ${webhook_url}, but the check sends to ${url}.`,
    );
  }
}

function unknownOrder(id: string): PlayError {
  const shown = toSafeLine(JSON.stringify(shortened(id)));
  return new PlayError(
    "ORDER_NOT_FOUND",
    say`The order's command printed ${shown}, which is not the id of a payin in the sandbox.`,
    say`Print the id of the transaction that the sandbox returned, and nothing after it.`,
  );
}
