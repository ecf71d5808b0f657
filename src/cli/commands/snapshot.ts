import type { WireSnapshot } from "../../core/state/wire.ts";
import {
  DELETE_SNAPSHOT,
  LIST_SNAPSHOTS,
  RESTORE_SNAPSHOT,
  SAVE_SNAPSHOT,
} from "../../core/state/wire-routes.ts";
import { PROGRAM } from "../../platform/program.ts";
import { CREATED, INTEGRATION } from "../records/columns.ts";
import { urlOption } from "../client/command-client.ts";
import { defineCommand, defineGroup, type Run } from "../definition/define-command.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { asTable } from "../records/list.ts";
import { freeText } from "../definition/parameters.ts";
import { type Table, toTableTime } from "../terminal/table.ts";

export const SNAPSHOTS: Table<WireSnapshot> = {
  none: { en: "No snapshots.", pt: "Nenhum snapshot." },
  columns: [
    { title: { en: "NAME", pt: "NOME" }, text: ({ name }) => name, least: 16 },
    INTEGRATION,
    { title: CREATED.title, text: ({ taken_at }, look) => toTableTime(taken_at, look) },
    { title: "PAYINS", text: ({ payins }) => String(payins) },
    { title: "PAYOUTS", text: ({ payouts }) => String(payouts) },
    { title: "WEBHOOKS", text: ({ deliveries }) => String(deliveries) },
  ],
};

const NAME = freeText(
  "name",
  {
    en: "lower-case letters, digits, dots, hyphens and underscores",
    pt: "letras minúsculas, dígitos, pontos, hifens e sublinhados",
  },
  { isOptional: true, default: "default" },
);

const save = defineCommand("snapshot save", {
  summary: {
    en: "save the records of all integrations, or of one (--token)",
    pt: "salva os registros de todas as integrações, ou de uma (--token)",
  },
  arguments: { name: NAME },
  route: SAVE_SNAPSHOT,
  show: asTable(SNAPSHOTS),
  examples: ["snapshot save", "snapshot save paid --token worker-1"],
});

const restore = defineCommand("snapshot restore", {
  summary: { en: "restore the records of a snapshot", pt: "restaura os registros de um snapshot" },
  arguments: { name: NAME },
  route: RESTORE_SNAPSHOT,
  around: explained,
  show: asTable(SNAPSHOTS),
  examples: ["snapshot restore", "snapshot restore paid"],
});

const list = defineCommand("snapshot list", {
  summary: { en: "list the snapshots", pt: "lista os snapshots" },
  route: LIST_SNAPSHOTS,
  show: asTable(SNAPSHOTS),
  examples: ["snapshot list --json"],
});

const remove = defineCommand("snapshot delete", {
  summary: { en: "delete a snapshot", pt: "apaga um snapshot" },
  arguments: { name: freeText("name", { en: "its name", pt: "o nome dele" }) },
  route: DELETE_SNAPSHOT,
  around: explained,
  show: () => localize({ en: "Deleted.", pt: "Apagado." }),
  examples: ["snapshot delete paid"],
});

/** Names the commands instead of the routes if there is no such snapshot. */
async function explained<Response>(
  send: () => Promise<Response>,
  { client }: Run,
  { name = "" }: { readonly name: string | undefined },
): Promise<Response> {
  return send().catch((error: unknown) => {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.notFound) throw error;
    const [shown, at] = [JSON.stringify(name), urlOption(client.url)];
    throw new CliError(
      EXIT.notFound,
      error.code,
      localize({
        en: `There is no snapshot with the name ${shown}.`,
        pt: `Não há snapshot com o nome ${shown}.`,
      }),
      localize({
        en: `List them with: ${PROGRAM} snapshot list${at}. Save one with: ${PROGRAM} snapshot save NAME${at}`,
        pt: `Liste com: ${PROGRAM} snapshot list${at}. Salve um com: ${PROGRAM} snapshot save NOME${at}`,
      }),
    );
  });
}

export const snapshotCommand = defineGroup(
  "snapshot",
  ["snapshot save paid", "snapshot restore paid", "snapshot list"],
  [save, restore, list, remove],
);
