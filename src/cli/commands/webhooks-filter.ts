import { type Command, Option } from "commander";
import { someText } from "../options.ts";
import { toQuery } from "./records.ts";

/** Which webhooks a command is about. */
export interface WebhookFilter {
  readonly type?: string;
  readonly transaction?: string;
  readonly status?: string;
}

export function statusOption(): Option {
  return new Option("--status <status>", "only those with this status").choices([
    "pending",
    "delivered",
    "failed",
  ]);
}

export function withFilter(command: Command): Command {
  return command
    .option("--type <type>", "only those of this event type, such as payin.paid", someText)
    .option("--transaction <id>", "only those of this payin or payout", someText)
    .addOption(statusOption());
}

/** As the control routes take it. */
export function toFilterQuery(
  { type, transaction, status }: WebhookFilter,
  page: { limit?: number; after?: string | undefined } = {},
): string {
  return toQuery({ type, transaction_id: transaction, status, ...page });
}
