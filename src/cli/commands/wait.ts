import { EVENT_TYPES } from "../../core/records/transaction.ts";
import { defineLoading } from "../definition/define-command.ts";
import { DELIVERIES } from "../webhooks/deliveries.ts";
import { readDurationMs } from "../terminal/duration.ts";
import { usageError } from "../terminal/errors.ts";
import { asTable } from "../records/list.ts";
import { oneOf, freeText, word } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { resolveId } from "../definition/resolve-id.ts";
import { say } from "../../text/message.ts";

const MAX_TIMEOUT_MS = 600_000;

export const waitCommand = defineLoading("wait", {
  arguments: {
    type: oneOf(EVENT_TYPES, "event type", say`the event's type`),
  },
  flags: {
    id: word(
      "id",
      say`the payin, the payout or the webhook (evt_…): its id, a unique beginning of it, or last for the newest payin or payout`,
    ),
    timeout: freeText("duration", say`how long to wait`, { default: "5s" }),
  },
  async load({ type, id, timeout }, { io, client, json }) {
    const timeoutMs = readDurationMs(timeout);
    if (timeoutMs > MAX_TIMEOUT_MS) throw usageError(say`Invalid --timeout. Use at most 10m.`);
    const isWebhook = id?.trim().toLowerCase().startsWith("evt_");
    const whole = id && (await resolveId(client, isWebhook ? "webhook" : "transaction", id));
    const which = isWebhook ? { id: whole } : { transaction_id: whole };
    const label = say`Waiting for ${type}, at most ${timeout}`;
    return withProgress(io, { label, isSilent: json }, () =>
      client.call("GET /wait", { type, ...which, timeout_ms: timeoutMs }),
    );
  },
  show: asTable(DELIVERIES),
  examples: ["wait payin.paid", "wait payin.paid --id 5f0c2a52 --timeout 10s"],
});
