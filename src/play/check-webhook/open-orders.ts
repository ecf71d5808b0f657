import type { WirePayin } from "../../core/records/transaction.ts";
import { toEpochMs } from "../../wire/timestamp.ts";
import type { Calls } from "../../client/calls.ts";
import { ignoreFailedCall } from "../play-error.ts";
import { Unseen } from "./shop.ts";
import { say } from "../../text/message.ts";

/** How much longer than this a charge must live: a shop can close an order that ends during the check. */
const LIFE_MS = 60_000;

/** The open orders of a merchant, in the place of new ones. */
export class OpenOrders {
  readonly #client: Calls;
  readonly #url: string;
  readonly #nowMs: () => number;
  #left: WirePayin[] | undefined;
  readonly #taken: WirePayin[] = [];

  constructor(client: Calls, url: string, nowMs: () => number) {
    this.#client = client;
    this.#url = url;
    this.#nowMs = nowMs;
  }

  /** The id of the next one. @throws Unseen if none is left */
  async take(): Promise<string> {
    this.#left ??= await this.#list();
    for (let next; (next = this.#left.shift());) {
      // It may have been paid meanwhile.
      const record = await this.#client.call("GET /payins/{id}", { id: next.id });
      const leftMs = toEpochMs(record.expires_at) - this.#nowMs();
      if (record.status !== "waiting" || leftMs < LIFE_MS) continue;
      this.#taken.push(record);
      return record.id;
    }
    throw new Unseen(
      say`The shop has no open order left whose webhooks go to this address and that lives for another minute. Create more, about 40 of one value for all rules, or pass --order on the command line.`,
    );
  }

  /** Pays those that were taken: what the merchant has seen as paid is paid then, and no longer open. */
  async pay(): Promise<void> {
    for (const { id } of this.#taken)
      await this.#client.call("POST /payins/{id}/pay", { id }).catch(ignoreFailedCall);
  }

  /** Those of the most frequent value, since their effects are compared: the oldest, the next and the newest come first. */
  async #list(): Promise<WirePayin[]> {
    const { href } = new URL(this.#url);
    const wanted = { status: "waiting", order: "asc", limit: 1000 };
    const { data } = await this.#client.call("GET /payins", wanted);
    const own = data.filter(({ webhook_url }) => new URL(webhook_url).href === href);
    const alike = own.map(({ value }) => own.filter((other) => other.value === value));
    const [most = []] = alike.toSorted((one, other) => other.length - one.length);
    const newest = most.length > 2 ? most.splice(-1) : [];
    return [...most.slice(0, 2), ...newest, ...most.slice(2)];
  }
}
