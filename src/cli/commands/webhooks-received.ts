import type { Command } from "commander";
import { ID } from "../columns.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { type ListOptions, printList, withListOptions } from "../list.ts";
import { clientCommand, withExamples } from "../options.ts";
import { type Table, toTableTime } from "../table.ts";

/** A webhook that the sandbox's own receiver got, as `GET /_sandbox/sink` lists it. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly webhook_id: string | null;
  readonly sandbox_at: string;
  readonly type: string | null;
  readonly transaction_id: string | null;
  readonly verified: boolean;
  readonly message: string | null;
}

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

export function receivedCommand(io: Io): Command {
  const command = clientCommand("received").description(
    localize({
      en: "list what the sandbox's own receiver got, the newest last",
      pt: "lista o que o receptor do próprio sandbox recebeu, com o mais novo no fim",
    }),
  );
  withListOptions(command).action((options: ListOptions) =>
    printList(io, { path: "/sink", table: RECEIVED }, options),
  );
  return withExamples(command, ["webhooks received", "webhooks received --json"]);
}
