import { WAIT } from "../../core/state/wire-routes.ts";
import { EVENT_TYPES } from "../../core/records/delivery.ts";
import { defineLoading } from "../definition/define-command.ts";
import { DELIVERIES } from "../webhooks/deliveries.ts";
import { readDurationMs } from "../terminal/duration.ts";
import { usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { asTable } from "../records/list.ts";
import { oneOf, freeText, word } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { resolveId } from "../definition/resolve-id.ts";

const MAX_TIMEOUT_MS = 600_000;

export const waitCommand = defineLoading("wait", {
  arguments: {
    type: oneOf(EVENT_TYPES, "event type", { en: "the event's type", pt: "o tipo do evento" }),
  },
  flags: {
    id: word("id", {
      en: "the payin, the payout or the webhook (evt_…): its id, a unique beginning of it, or last for the newest payin or payout",
      pt: "o payin, o payout ou o webhook (evt_…): o id, um começo único dele, ou last para o payin ou payout mais novo",
    }),
    timeout: freeText(
      "duration",
      { en: "how long to wait", pt: "quanto tempo esperar" },
      { default: "5s" },
    ),
  },
  async load({ type, id, timeout }, { io, client, json }) {
    const timeoutMs = Math.round(readDurationMs(timeout));
    if (timeoutMs > MAX_TIMEOUT_MS)
      throw usageError(
        localize({
          en: "Invalid --timeout. Use at most 10m.",
          pt: "--timeout inválido. Use no máximo 10m.",
        }),
      );
    const isWebhook = id?.trim().toLowerCase().startsWith("evt_");
    const whole = id && (await resolveId(client, isWebhook ? "webhook" : "transaction", id));
    const which = isWebhook ? { id: whole } : { transaction_id: whole };
    const label = localize({
      en: `Waiting for ${type}, at most ${timeout}`,
      pt: `Esperando ${type}, no máximo ${timeout}`,
    });
    return withProgress(io, { label, isSilent: json }, () =>
      client.call(WAIT, { type, ...which, timeout_ms: timeoutMs }),
    );
  },
  show: asTable(DELIVERIES),
  examples: ["wait payin.paid", "wait payin.paid --id 5f0c2a52 --timeout 10s"],
});
