import { Argument, type Command } from "commander";
import { EVENT_TYPES } from "../../core/records/delivery.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import type { ClientOptions } from "../command-client.ts";
import { readDurationMs } from "../duration.ts";
import { usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, someText, withExamples } from "../options.ts";
import { DELIVERIES } from "../deliveries.ts";
import { printTable } from "../list.ts";
import { withProgress } from "../progress.ts";
import { resolveId } from "../resolve-id.ts";
import { toQuery } from "../../client/wire-client.ts";
import { arg } from "../placeholders.ts";

interface WaitOptions extends ClientOptions {
  readonly id?: string;
  readonly timeout: string;
  readonly json?: boolean;
}

const MAX_TIMEOUT_MS = 600_000;

export function waitCommand(io: Io): Command {
  const command = clientCommand("wait")
    .addArgument(
      new Argument(
        arg("event type"),
        localize({ en: "the event's type", pt: "o tipo do evento" }),
      ).choices(EVENT_TYPES),
    )
    .option(
      "--id <id>",
      localize({
        en: "the payin, the payout or the webhook (evt_…): its id, a unique beginning of it, or last for the newest payin or payout",
        pt: "o payin, o payout ou o webhook (evt_…): o id, um começo único dele, ou last para o payin ou payout mais novo",
      }),
      someText,
    )
    .option(
      `--timeout ${arg("duration")}`,
      localize({ en: "how long to wait", pt: "quanto tempo esperar" }),
      "5s",
    )
    .action(async (type: string, { id, timeout, json, ...options }: WaitOptions) => {
      const timeoutMs = Math.round(readDurationMs(timeout));
      if (timeoutMs > MAX_TIMEOUT_MS)
        throw usageError(
          localize({
            en: "Invalid --timeout. Use at most 10m.",
            pt: "--timeout inválido. Use no máximo 10m.",
          }),
        );
      const client = clientFor(options);
      const isWebhook = id?.trim().toLowerCase().startsWith("evt_");
      const whole = id && (await resolveId(client, isWebhook ? "webhook" : "transaction", id));
      const which = isWebhook ? { id: whole } : { transaction_id: whole };
      const query = toQuery({ type, ...which, timeout_ms: timeoutMs });
      const label = localize({
        en: `Waiting for ${type}, at most ${timeout}`,
        pt: `Esperando ${type}, no máximo ${timeout}`,
      });
      const delivery = await withProgress(io, { label, isSilent: json }, () =>
        client.control<WireDelivery>("GET", `/wait${query}`),
      );
      if (json) io.printJson(delivery);
      else await printTable(io, DELIVERIES, [delivery], client);
    });
  return withExamples(command, ["wait payin.paid", "wait payin.paid --id 5f0c2a52 --timeout 10s"]);
}
