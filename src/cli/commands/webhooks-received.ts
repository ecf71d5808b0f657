import { LIST_SINK, type ReceivedWebhook } from "../../core/state/wire-routes.ts";
import { ID } from "../records/columns.ts";
import { localize } from "../terminal/language.ts";
import { defineList } from "../records/list.ts";
import { type Table, toTableTime } from "../terminal/table.ts";

export const RECEIVED: Table<ReceivedWebhook> = {
  none: {
    en: "The sandbox's own receiver got no webhooks.",
    pt: "O receptor do próprio sandbox não recebeu webhooks.",
  },
  columns: [
    ID,
    { title: "WEBHOOK", text: ({ webhook_id }) => webhook_id ?? "-", isId: true },
    { title: { en: "TYPE", pt: "TIPO" }, text: ({ type }) => type ?? "-" },
    {
      title: { en: "TRANSACTION", pt: "TRANSAÇÃO" },
      text: ({ transaction_id }) => transaction_id ?? "-",
      isId: true,
    },
    {
      title: { en: "SIGNATURE", pt: "ASSINATURA" },
      text: ({ verified, message }) =>
        verified ? localize({ en: "valid", pt: "válida" }) : (message ?? "-"),
      isFailure: ({ verified }) => !verified,
      least: 8,
    },
    {
      title: { en: "RECEIVED", pt: "RECEBIDO" },
      text: ({ sandbox_at }, look) => toTableTime(sandbox_at, look),
    },
  ],
};

export const listReceived = defineList("webhooks received", {
  summary: {
    en: "list what the sandbox's own receiver got, the newest last",
    pt: "lista o que o receptor do próprio sandbox recebeu, com o mais novo no fim",
  },
  route: LIST_SINK,
  table: RECEIVED,
  examples: ["webhooks received", "webhooks received --json"],
});
