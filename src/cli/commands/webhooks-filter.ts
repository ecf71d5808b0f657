import { type Command, Option } from "commander";
import { DELIVERY_STATUSES, EVENT_TYPES } from "../../core/records/delivery.ts";
import type { CommandClient } from "../command-client.ts";
import { resolveId } from "../resolve-id.ts";
import { someText } from "../options.ts";
import type { Query } from "../../client/wire-client.ts";
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
    .addOption(
      new Option(
        `--type ${arg("type")}`,
        localize({ en: "only this event type", pt: "só este tipo de evento" }),
      ).choices(EVENT_TYPES),
    )
    .option(
      "--transaction <id>",
      localize({
        en: "only of this payin or payout: its id, a unique beginning of it, last, or a payin's BR Code",
        pt: "só deste payin ou payout: o id, um começo único dele, last, ou o BR Code de um payin",
      }),
      someText,
    )
    .addOption(statusOption());
}

/** The same filter with the whole id of its transaction. */
export async function resolveFilter<Filter extends WebhookFilter>(
  client: CommandClient,
  filter: Filter,
): Promise<Filter> {
  const { transaction } = filter;
  if (transaction === undefined) return filter;
  return { ...filter, transaction: await resolveId(client, "transaction", transaction) };
}

/** The same filter with the names of the control routes' query. */
export function toFilter({ type, transaction, status }: WebhookFilter): Query {
  return { type, transaction_id: transaction, status };
}
