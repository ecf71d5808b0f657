import { randomUUID } from "node:crypto";
import type { AssumptionName } from "../../core/assumptions/table.ts";
import { BUYER, sampleValue, sinkUrl } from "../../wire/sample.ts";
import { toWireAssumption, type WireUsedAssumption } from "../../review/report.ts";
import { WEBHOOK_ASSUMPTIONS } from "../../review/reviewer.ts";
import type { Calls } from "../../client/calls.ts";
import { PlayError } from "../play-error.ts";
import type { Language } from "../../text/languages.ts";
import { say } from "../../text/message.ts";

/** An integration that exists only for one check. */
export class FreshIntegration {
  readonly #client: Calls;

  constructor(client: Calls) {
    this.#client = client.as(`check-webhook-${randomUUID()}`);
  }

  /** Creates a payin and pays it. @returns the body of its payin.paid */
  async paidPayin(): Promise<string> {
    const value = await this.#prepare();
    const payin = {
      ...BUYER,
      value,
      description: "pix-sandbox check-webhook",
      webhook_url: sinkUrl(this.#client.url),
    };
    const key = { idempotencyKey: randomUUID() };
    const { id } = await this.#client.call("POST /v1/payins", payin, key);
    await this.#client.call("POST /payins/{id}/pay", { id });
    const paid = { type: "payin.paid", transaction_id: id };
    const { data } = await this.#client.call("GET /deliveries", paid);
    if (data[0]) return data[0].body;
    throw new PlayError(
      "NOT_FOUND",
      say`The webhook of the check no longer exists: a reset has removed it.`,
      say`Run the command again.`,
    );
  }

  /** The assumptions that its calls, and the webhooks of the check, depend on. */
  async assumptions(language: Language): Promise<WireUsedAssumption[]> {
    const { assumptions } = await this.#client.call("GET /report");
    const names = new Set([...assumptions.map(({ name }) => name), ...WEBHOOK_ASSUMPTIONS]);
    return (await this.#choices())
      .filter(({ name }) => names.has(name))
      .map(({ name, choice }) => toWireAssumption({ name, choice: String(choice) }, language));
  }

  /** Removes everything of it from the sandbox: the records, the requests, and what the reviewer saw. */
  async remove(): Promise<void> {
    await this.#client.call("POST /reset");
    await this.#client.call("DELETE /report");
  }

  /** Makes the sandbox accept the integration. @returns a value in the unit of the sandbox */
  async #prepare(): Promise<number> {
    const choices = await this.#choices();
    const choiceOf = (name: AssumptionName) => choices.find((row) => row.name === name)?.choice;
    if (choiceOf("credentials") === "listed")
      await this.#client.call("PATCH /assumptions", { credentials: "any" });
    return sampleValue(choiceOf("value.unit"));
  }

  async #choices() {
    return (await this.#client.call("GET /assumptions")).data;
  }
}
