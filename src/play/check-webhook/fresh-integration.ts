import { randomUUID } from "node:crypto";
import type { AssumptionName } from "../../core/assumptions/table.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import { BUYER } from "../../wire/sample.ts";
import { type Page, toQuery } from "../../core/state/wire-routes.ts";
import type { WireReview, WireUsedAssumption } from "../../review/report.ts";
import type { GatewayPort } from "../gateway-port.ts";
import { PlayError } from "../play-error.ts";
import { say } from "../../text/message.ts";

/** The events after which a delivery is read. */
const LOOKS = new Set(["connected", "attempt", "reset", "missed"]);

interface Assumption {
  readonly name: AssumptionName;
  readonly choice: string | number;
}

/** An integration that exists only for one check. */
export class FreshIntegration {
  readonly #client: GatewayPort;
  readonly #token: string;

  constructor(client: GatewayPort) {
    this.#token = `check-webhook-${randomUUID()}`;
    this.#client = client.as(this.#token);
  }

  async secret(): Promise<string> {
    return (await this.#client.control<{ secret: string }>("GET", "/secret")).secret;
  }

  /** Creates a payin and pays it. @returns the delivery of its payin.paid */
  async paidPayin(webhookUrl: string): Promise<WireDelivery> {
    const value = await this.#prepare();
    const { id } = await this.#client.gateway<{ id: string }>(
      "POST",
      "/payins",
      { ...BUYER, value, description: "pix-sandbox check-webhook", webhook_url: webhookUrl },
      { token: this.#token, idempotencyKey: randomUUID() },
    );
    await this.#client.control("POST", `/payins/${id}/pay`);
    const query = toQuery({ type: "payin.paid", transaction_id: id });
    const { data } = await this.#client.control<Page<WireDelivery>>("GET", `/deliveries${query}`);
    if (!data[0]) throw interfered();
    return data[0];
  }

  /** The delivery after its first attempt, or as it is when `signal` aborts or the attempt is due later. */
  async attempted(id: string, signal: AbortSignal): Promise<WireDelivery> {
    let delivery = await this.#read(id);
    const { now, mode } = await this.#client.control<{ now: string; mode: string }>(
      "GET",
      "/clock",
    );
    const isWaiting = (): boolean => {
      const isDueLater = mode === "frozen" && (delivery.next_attempt_at ?? "") > now;
      return !delivery.attempts.some(isFinal) && !isDueLater;
    };
    try {
      if (!isWaiting()) return delivery;
      for await (const { event } of this.#client.events({ since: undefined }, signal)) {
        if (!LOOKS.has(event)) continue;
        delivery = await this.#read(id);
        if (!isWaiting()) return delivery;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return delivery;
  }

  /** The assumptions that its webhooks depended on. */
  async assumptions(): Promise<WireUsedAssumption[]> {
    return (await this.#client.control<WireReview>("GET", "/report")).assumptions;
  }

  /** Removes everything of it from the sandbox: the records, the requests, and what the reviewer saw. */
  async remove(): Promise<void> {
    await this.#client.control("POST", "/reset");
    await this.#client.control("DELETE", "/report");
  }

  /** Makes the sandbox accept the integration. @returns a value in the unit of the sandbox */
  async #prepare(): Promise<number> {
    const { data } = await this.#client.control<Page<Assumption>>("GET", "/assumptions");
    const choiceOf = (name: AssumptionName) => data.find((row) => row.name === name)?.choice;
    if (choiceOf("credentials") === "listed")
      await this.#client.control("PATCH", "/assumptions", { credentials: "any" });
    return choiceOf("value.unit") === "centavos" ? Math.round(BUYER.value * 100) : BUYER.value;
  }

  #read(id: string): Promise<WireDelivery> {
    return this.#client.control<WireDelivery>("GET", `/deliveries/${id}`);
  }
}

/** Whether an attempt counts: one on a connection that the receiver had just closed is repeated at once. */
export function isFinal(attempt: WireDelivery["attempts"][number]): boolean {
  return !("error" in attempt && attempt.error.includes("closed the kept connection"));
}

function interfered(): PlayError {
  return new PlayError(
    "NOT_FOUND",
    say`The webhook of the check no longer exists: a reset has removed it.`,
    say`Run the command again.`,
  );
}
