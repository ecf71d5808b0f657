import { LIST_SINK, type ReceivedWebhook } from "../../core/state/wire-routes.ts";
import { ID } from "../records/columns.ts";
import { localize } from "../terminal/language.ts";
import { defineList } from "../records/list.ts";
import { type Table, toTableTime } from "../terminal/table.ts";
import { say } from "../../text/message.ts";

export const RECEIVED: Table<ReceivedWebhook> = {
  none: say`The sandbox's own receiver got no webhooks.`,
  columns: [
    ID,
    { title: "WEBHOOK", text: ({ webhook_id }) => webhook_id ?? "-", isId: true },
    { title: say`TYPE`, text: ({ type }) => type ?? "-" },
    {
      title: say`TRANSACTION`,
      text: ({ transaction_id }) => transaction_id ?? "-",
      isId: true,
    },
    {
      title: say`SIGNATURE`,
      text: ({ verified, message }) => (verified ? localize(say`valid`) : (message ?? "-")),
      isFailure: ({ verified }) => !verified,
      least: 8,
    },
    {
      title: say`RECEIVED`,
      text: ({ sandbox_at }, look) => toTableTime(sandbox_at, look),
    },
  ],
};

export const listReceived = defineList("webhooks received", {
  summary: say`list what the sandbox's own receiver got, the newest last`,
  route: LIST_SINK,
  table: RECEIVED,
  examples: ["webhooks received", "webhooks received --json"],
});
