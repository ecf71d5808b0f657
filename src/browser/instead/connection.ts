import type { ConnectionRequest, Receiver } from "../../delivery/connection.ts";
import type { TabResponse, TabWebhook } from "../../wire/tab-messages.ts";

/** A webhook on its way to the simulated merchant. */
export type SentWebhook = Omit<TabWebhook, "isValid">;

/** Passes a webhook to the simulated merchant; rejects if it does not respond. */
export type TabMerchant = (webhook: SentWebhook) => Promise<TabResponse>;

let merchant: TabMerchant = () => Promise.reject(new Error("no merchant listens"));

/** Connects the merchant that receives every webhook, whatever its address. */
export function connectMerchant(connected: TabMerchant): void {
  merchant = connected;
}

/** Stands in a tab for the connections of `src/delivery/connection.ts`. */
export class Connections {
  readonly #maxBody: number;

  constructor(_lookup: unknown, maxBody: number) {
    this.#maxBody = maxBody;
  }

  take(origin: string): Connection {
    return new Connection(origin, this.#maxBody);
  }

  open(origin: string): Connection {
    return this.take(origin);
  }

  release(connection: Connection): void {
    connection.close();
  }

  close(): void {}
}

/** Sends one POST. */
export class Connection {
  readonly #origin: string;
  readonly #maxBody: number;

  constructor(origin: string, maxBody: number) {
    this.#origin = origin;
    this.#maxBody = maxBody;
  }

  send({ path, headers, body }: ConnectionRequest, receiver: Receiver): void {
    receiver.onConnecting();
    receiver.onSending();
    // As a server reads them.
    const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const received = Object.fromEntries(names) as Readonly<Record<string, string>>;
    merchant({ url: `${this.#origin}${path}`, headers: received, body }).then(
      ({ status, headers: sent = {}, body: text = "" }) =>
        receiver.onResponse({
          status,
          header: (name) => sent[name],
          body: Buffer.from(text).subarray(0, this.#maxBody + 1),
          isReusable: false,
        }),
      (error: unknown) => receiver.onFailure(error as Error, false),
    );
  }

  /** The merchant's response, if it comes, is not read any more. */
  close(): void {}
}
