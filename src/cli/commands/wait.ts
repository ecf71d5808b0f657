import type { Command } from "commander";
import type { WireDelivery } from "../../core/wire.ts";
import type { ClientOptions } from "../client.ts";
import { readDurationMs } from "../duration.ts";
import { usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { clientCommand, clientFor, someText, withExamples } from "../options.ts";
import { renderDeliveries } from "../render.ts";
import { toQuery } from "./records.ts";

interface WaitOptions extends ClientOptions {
  readonly id?: string;
  readonly timeout: string;
  readonly json?: boolean;
}

const MAX_TIMEOUT_MS = 600_000;

export function waitCommand(io: Io): Command {
  const command = clientCommand("wait")
    .description("wait until a webhook is delivered; one that was delivered before counts too")
    .argument("<event type>", "such as payin.paid", someText)
    .option("--id <id>", "of this payin or payout, or the webhook's own id (evt_…)", someText)
    .option("--timeout <duration>", "how long to wait", "5s")
    .action(async (type: string, { id, timeout, json, ...options }: WaitOptions) => {
      const timeoutMs = Math.round(readDurationMs(timeout));
      if (timeoutMs > MAX_TIMEOUT_MS) throw usageError(t`--timeout takes at most 10m.`);
      const which = id?.startsWith("evt_") ? { id } : { transaction_id: id };
      const query = toQuery({ type, ...which, timeout_ms: timeoutMs });
      const delivery = await clientFor(options).control<WireDelivery>("GET", `/wait${query}`);
      if (json) io.printJson(delivery);
      else io.print(renderDeliveries([delivery], io.colour));
    });
  return withExamples(command, [
    "wait payin.paid",
    "wait payin.paid --id 5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10 --timeout 10s",
  ]);
}
