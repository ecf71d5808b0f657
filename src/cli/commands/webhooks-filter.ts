import { type Command, Option } from "commander";
import { DELIVERY_STATUSES } from "../../core/webhooks/delivery.ts";
import { someText } from "../options.ts";
import { toQuery } from "../../api/wire-client.ts";
import { localize } from "../language.ts";
import { arg } from "../placeholders.ts";

/** Selects webhooks. */
export interface WebhookFilter {
  readonly type?: string;
  readonly transaction?: string;
  readonly status?: string;
}

function statusOption(): Option {
  return new Option(
    "--status <status>",
    localize({ en: "only with this status", pt: "só com este status" }),
  ).choices(DELIVERY_STATUSES);
}

export function withFilter(command: Command): Command {
  return command
    .option(
      `--type ${arg("type")}`,
      localize({
        en: "only this event type, such as payin.paid",
        pt: "só este tipo de evento, como payin.paid",
      }),
      someText,
    )
    .option(
      "--transaction <id>",
      localize({ en: "only of this payin or payout", pt: "só deste payin ou payout" }),
      someText,
    )
    .addOption(statusOption());
}

/** The query of the control routes. */
export function toFilterQuery(
  { type, transaction, status }: WebhookFilter,
  page: { limit?: number; after?: string | undefined } = {},
): string {
  return toQuery({ type, transaction_id: transaction, status, ...page });
}
