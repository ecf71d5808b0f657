import { LocalizedError } from "../../core/records/errors.ts";
import type { WirePayin } from "../../core/records/payin.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type GatewayPort, isFailedCall } from "../gateway-port.ts";
import { PlayError } from "../play-error.ts";
import { type Change, changeOf } from "./effect-change.ts";
import { type Handler, isAccepted, type Outcome } from "./handler.ts";
import { pause } from "../../platform/pause.ts";
import { paymentOf } from "./probes.ts";
import { describeOutcome } from "./verdicts.ts";
import type { SignedWebhook } from "../hand-made-webhook.ts";
import { signEvent, toCurl, type WebhookEvent } from "./webhook.ts";
import { joined, type Message, say } from "../../text/message.ts";

const NOT_ACCEPTED = say`The handler did not accept the payment of the order: `;

/** An order of the merchant, which waits for its payment. */
export interface Order {
  readonly record: WirePayin;
  /** Its payin.paid. */
  readonly event: WebhookEvent;
  /** The secret of its integration. */
  readonly secret: string;
}

/** One order that was paid once. */
export interface PaidOnce extends Order {
  readonly before: string;
  readonly after: string;
  readonly change: Change;
}

/** A rule cannot be judged. */
export class Unseen extends LocalizedError {
  override readonly name = "Unseen";
}

export interface ShopOptions {
  /** For all integrations. */
  readonly client: GatewayPort;
  readonly handler: Handler;
  readonly order: () => Promise<string>;
  readonly effect: ((record: Readonly<Record<string, unknown>>) => Promise<string>) | undefined;
  /** Default: that of the order's integration. */
  readonly secret: string | undefined;
  /** A payment that the sandbox has reported. */
  readonly paid: WebhookEvent;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/** How long an effect that must come is waited for, and one that must not. */
const COMES_MS = 3000;
const STAYS_MS = 500;
const PAUSE_MS = 100;
/** A text that changes by itself, such as with the time, does so within this time. */
const STABLE_MS = 1100;

/** The merchant's side: it creates orders, and acts on webhooks. */
export class Shop {
  readonly options: ShopOptions;
  readonly notes: Message[] = [];
  /** The command line of the last webhook. */
  command = "";
  #secret: string | undefined;
  #paidOnce: PaidOnce | undefined;
  #isStable = false;
  /** Why no effect can be judged: the first payment has shown it. */
  #hopeless: LocalizedError | undefined;

  constructor(options: ShopOptions) {
    this.options = options;
  }

  /** @throws PlayError if the sandbox does not have the transaction. */
  async newOrder(): Promise<Order> {
    return this.find(await this.options.order());
  }

  async find(id: string): Promise<Order> {
    const { client } = this.options;
    const record = await client
      .control<WirePayin>("GET", `/payins/${encodeURIComponent(id)}`)
      .catch((error: unknown) => {
        if (isFailedCall(error) && error.code === "NOT_FOUND") throw unknownOrder(id);
        throw error;
      });
    this.#checkAddress(record);
    return this.orderOf(record);
  }

  async orderOf(record: WirePayin): Promise<Order> {
    const { client, paid, nowMs } = this.options;
    this.#secret ??=
      this.options.secret ??
      (await client.as(record.integration).control<{ secret: string }>("GET", "/secret")).secret;
    const event = paymentOf({ ...record }, paid, nowMs());
    return { record, event, secret: this.#secret };
  }

  /** The secret of the merchant's integration. */
  async secret(): Promise<string> {
    return this.#secret ?? (await this.newOrder()).secret;
  }

  async send(webhook: SignedWebhook): Promise<Outcome> {
    this.command = toCurl(this.options.handler.url, webhook);
    const outcome = await this.options.handler.post(webhook);
    this.options.signal.throwIfAborted();
    return outcome;
  }

  /** Sends a webhook. @throws Unseen if the handler does not accept it. */
  async sendAccepted(webhook: SignedWebhook): Promise<void> {
    const outcome = await this.send(webhook);
    if (isAccepted(outcome)) return;
    throw new Unseen(joined([joined([NOT_ACCEPTED, describeOutcome(outcome)], ""), "."], ""));
  }

  async effectOf({ record }: Pick<Order, "record">): Promise<string> {
    const { effect, signal } = this.options;
    const text = (await effect?.({ ...record })) ?? "";
    signal.throwIfAborted();
    return text;
  }

  /** The effect after something that must move it. The same as before if it does not. */
  movedEffect(order: Order, before: string): Promise<string> {
    return this.#effectAfter(order, before, COMES_MS);
  }

  /** The effect after something that must not move it. */
  unmovedEffect(order: Order, before: string): Promise<string> {
    return this.#effectAfter(order, before, STAYS_MS);
  }

  /** Creates an order and pays it once. @throws LocalizedError if that does not change the effect, or it is unreadable. */
  async payOnce(): Promise<PaidOnce> {
    if (this.#hopeless) throw this.#hopeless;
    try {
      return await this.#payOnce();
    } catch (error) {
      if (!this.#paidOnce && error instanceof LocalizedError) this.#hopeless = error;
      throw error;
    }
  }

  async #payOnce(): Promise<PaidOnce> {
    const order = await this.newOrder();
    const before = await this.effectOf(order);
    await this.#checkStable(order, before);
    await this.sendAccepted(signEvent(order.event, order.secret));
    const after = await this.movedEffect(order, before);
    if (after === before) throw new Unseen(say`The effect did not change when the order was paid.`);
    const paid = { ...order, before, after, change: changeOf(before, after, { ...order.record }) };
    this.#paidOnce ??= paid;
    return paid;
  }

  /** An order that was paid once, to compare with. */
  async paidOnce(): Promise<PaidOnce> {
    return this.#paidOnce ?? this.payOnce();
  }

  async #effectAfter(order: Order, before: string, limitMs: number): Promise<string> {
    let last = await this.effectOf(order);
    for (let passedMs = 0; passedMs < limitMs; passedMs += PAUSE_MS) {
      await pause(PAUSE_MS);
      const now = await this.effectOf(order);
      // Another step of the same change can follow.
      if (now !== before && now === last) return now;
      last = now;
    }
    return last;
  }

  async #checkStable(order: Order, before: string): Promise<void> {
    if (this.#isStable) return;
    await pause(STABLE_MS);
    if ((await this.effectOf(order)) !== before)
      throw new Unseen(
        say`The effect changes by itself, without a webhook. Print only what the merchant did.`,
      );
    this.#isStable = true;
  }

  #checkAddress({ webhook_url }: WirePayin): void {
    const { url } = this.options.handler;
    if (this.notes.length > 0 || new URL(webhook_url).href === new URL(url).href) return;
    this.notes.push(
      say`The webhook_url of the order is ${webhook_url}, but the check sends to ${url}.`,
    );
  }
}

/** How much of a command's output a message shows. */
const SHOWN = 100;

function unknownOrder(id: string): PlayError {
  const shown = toSafeLine(JSON.stringify(id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id));
  return new PlayError(
    "ORDER_NOT_FOUND",
    say`The order's command printed ${shown}, which is not the id of a payin in the sandbox.`,
    say`Print the id of the transaction that the sandbox returned, and nothing after it.`,
  );
}
