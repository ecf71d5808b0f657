import { randomUUID } from "node:crypto";
import type { AssumptionName } from "../../core/assumptions/table.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import { BUYER, sampleValue, sinkUrl } from "../../wire/sample.ts";
import { type Page, toQuery } from "../../wire/route-key.ts";
import { toWireAssumption, type WireReview, type WireUsedAssumption } from "../../review/report.ts";
import { WEBHOOK_ASSUMPTIONS } from "../../review/reviewer.ts";
import type { GatewayPort } from "../gateway-port.ts";
import { PlayError } from "../play-error.ts";
import type { Language } from "../../text/languages.ts";
import { say } from "../../text/message.ts";

/** An integration that exists only for one check. */
export class FreshIntegration {
  readonly #client: GatewayPort;
  readonly #token: string;

  constructor(client: GatewayPort) {
    this.#token = `check-webhook-${randomUUID()}`;
    this.#client = client.as(this.#token);
  }

  /** Creates a payin and pays it. @returns the body of its payin.paid */
  async paidPayin(): Promise<string> {
    const value = await this.#prepare();
    const { id } = await this.#client.gateway<{ id: string }>(
      "POST",
      "/payins",
      {
        ...BUYER,
        value,
        description: "pix-sandbox check-webhook",
        webhook_url: sinkUrl(this.#client.url),
      },
      { token: this.#token, idempotencyKey: randomUUID() },
    );
    await this.#client.control("POST", `/payins/${id}/pay`);
    const query = toQuery({ type: "payin.paid", transaction_id: id });
    const { data } = await this.#client.control<Page<WireDelivery>>("GET", `/deliveries${query}`);
    if (data[0]) return data[0].body;
    throw new PlayError(
      "NOT_FOUND",
      say`The webhook of the check no longer exists: a reset has removed it.`,
      say`Run the command again.`,
    );
  }

  /** The assumptions that its calls, and the webhooks of the check, depend on. */
  async assumptions(language: Language): Promise<WireUsedAssumption[]> {
    const { assumptions } = await this.#client.control<WireReview>("GET", "/report");
    const names = new Set([...assumptions.map(({ name }) => name), ...WEBHOOK_ASSUMPTIONS]);
    return (await this.#choices())
      .filter(({ name }) => names.has(name))
      .map(({ name, choice }) => toWireAssumption({ name, choice: String(choice) }, language));
  }

  /** Removes everything of it from the sandbox: the records, the requests, and what the reviewer saw. */
  async remove(): Promise<void> {
    await this.#client.control("POST", "/reset");
    await this.#client.control("DELETE", "/report");
  }

  /** Makes the sandbox accept the integration. @returns a value in the unit of the sandbox */
  async #prepare(): Promise<number> {
    const choices = await this.#choices();
    const choiceOf = (name: AssumptionName) => choices.find((row) => row.name === name)?.choice;
    if (choiceOf("credentials") === "listed")
      await this.#client.control("PATCH", "/assumptions", { credentials: "any" });
    return sampleValue(choiceOf("value.unit"));
  }

  async #choices() {
    type Row = { readonly name: AssumptionName; readonly choice: string | number };
    return (await this.#client.control<Page<Row>>("GET", "/assumptions")).data;
  }
}
