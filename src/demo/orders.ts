import { randomBytes } from "node:crypto";
import type { Integration } from "../client/view.ts";
import type { CreatedPayin } from "../client/records.ts";
import { SandboxError } from "../client/calls.ts";
import { pause } from "../platform/pause.ts";
import { wallNowMs } from "../platform/real-time.ts";
import type { ArrivedWebhook } from "../webhook-diagnosis/webhook-server.ts";
import { type Message, say } from "../text/message.ts";

/** What the shop sells, by the name that its form sends. */
export const PRODUCTS = {
  coffee: { name: say`Coffee, 250 g`, value: 32.9 },
  chocolate: { name: say`Chocolate, 80 g`, value: 18.5 },
  basket: { name: say`Breakfast basket`, value: 129 },
} satisfies Record<string, Product>;

interface Product {
  readonly name: Message;
  /** In reais. */
  readonly value: number;
}

export type ProductName = keyof typeof PRODUCTS;

/** One thing that happened to an order. */
export interface Step {
  readonly atMs: number;
  readonly text: Message;
  readonly isFailure: boolean;
}

export interface Order {
  readonly number: string;
  readonly product: Product;
  /** `open` until its charge exists. */
  status: "open" | "waiting" | "paid" | "expired";
  payin?: CreatedPayin;
  /** Oldest first. */
  readonly steps: Step[];
  /** The ids of the webhooks that were applied. */
  readonly webhooks: Set<string>;
}

/** Real time before each call for a charge. */
const PAUSES_MS = [0, 500, 2000, 5000];

/** What ends a charge, by the webhook that reports it. */
const ENDS = {
  "payin.paid": { status: "paid", text: say`The order is paid.` },
  "payin.expired": { status: "expired", text: say`The charge has expired. The order is closed.` },
} as const;

/** The orders of the demo's shop, which does what a merchant should. */
export class Orders {
  readonly #orders = new Map<string, Order>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #gateway: Integration;
  readonly #webhookUrl: string;
  readonly #onStep: (order: Order, step: Step) => void;

  /**
   * @param gateway creates the charges
   * @param webhookUrl where the gateway reports payments
   */
  constructor(
    gateway: Integration,
    webhookUrl: string,
    onStep: (order: Order, step: Step) => void,
  ) {
    this.#gateway = gateway;
    this.#webhookUrl = webhookUrl;
    this.#onStep = onStep;
  }

  find(number: string): Order | undefined {
    return this.#orders.get(number);
  }

  /** The order of a charge. */
  findByPayin(id: string): Order | undefined {
    return [...this.#orders.values()].find(({ payin }) => payin?.id === id);
  }

  /** Calls `watcher` after each step of an order. @returns a function that stops it */
  watch(order: Order, watcher: () => void): () => void {
    const watchers = this.#watchers.get(order.number) ?? new Set();
    this.#watchers.set(order.number, watchers.add(watcher));
    return () => watchers.delete(watcher);
  }

  /** Places an order and creates its charge. An order without a charge says in its steps why. */
  async place(name: ProductName): Promise<Order> {
    const number = randomBytes(4).toString("hex");
    const product = PRODUCTS[name];
    const order: Order = { number, product, status: "open", steps: [], webhooks: new Set() };
    this.#orders.set(number, order);
    this.#add(order, say`The order is placed.`);
    await this.#charge(order);
    return order;
  }

  /** A call without a known outcome is repeated with its key: it creates no second charge. */
  async #charge(order: Order): Promise<void> {
    const payin = {
      value: order.product.value,
      description: `Pedido ${order.number}`,
      webhookUrl: this.#webhookUrl,
    };
    for (const pauseMs of PAUSES_MS) {
      if (pauseMs > 0) await pause(pauseMs);
      try {
        const idempotencyKey = `order-${order.number}`;
        order.payin = await this.#gateway.payins.create(payin, { idempotencyKey });
        order.status = "waiting";
        this.#add(order, say`The shop has created a charge: POST /v1/payins, 200.`);
        return;
      } catch (error) {
        const status = error instanceof SandboxError ? error.status : 0;
        const reason = status > 0 ? String(status) : say`no response`;
        this.#add(order, say`No charge was created: POST /v1/payins, ${reason}.`, true);
        if (status >= 400 && status < 500 && status !== 429) return;
      }
    }
  }

  /** Applies a webhook once. @returns the status of the response */
  receive(webhook: ArrivedWebhook): number {
    const order = this.findByPayin(webhook.transactionId);
    if (!order) return webhook.flaw ? 401 : 404;
    const { type, id, data } = webhook;
    if (webhook.flaw) {
      this.#add(order, say`Webhook with an invalid signature: responds 401.`, true);
      return 401;
    }
    if (order.webhooks.has(id)) {
      this.#add(order, say`Webhook ${type} again: known, the shop responds 200.`);
      return 200;
    }
    order.webhooks.add(id);
    this.#add(order, say`Webhook ${type}: valid signature, the shop responds 200.`);
    const end = ENDS[type as keyof typeof ENDS] as (typeof ENDS)[keyof typeof ENDS] | undefined;
    if (end && order.status === "waiting" && data["value"] === order.product.value) {
      order.status = end.status;
      this.#add(order, end.text);
    }
    return 200;
  }

  #add(order: Order, text: Message, isFailure = false): void {
    const step = { atMs: wallNowMs(), text, isFailure };
    order.steps.push(step);
    this.#onStep(order, step);
    for (const watcher of this.#watchers.get(order.number) ?? []) watcher();
  }
}
