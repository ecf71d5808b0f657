import type { Command } from "commander";
import type { WireSnapshot } from "../../core/state/wire.ts";
import { type ClientOptions, urlOption } from "../command-client.ts";
import type { Io } from "../io.ts";
import { CliError, EXIT } from "../errors.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { CREATED, INTEGRATION } from "../columns.ts";
import { printTable } from "../list.ts";
import { type Table, toTableTime } from "../table.ts";
import { arg, optionalArg } from "../placeholders.ts";
import { CliCommand } from "../command.ts";
import { PROGRAM } from "../../platform/program.ts";

type Options = ClientOptions & { readonly json?: boolean };

const NAME = {
  en: "lower-case letters, digits, dots, hyphens and underscores",
  pt: "letras minúsculas, dígitos, pontos, hifens e sublinhados",
};

export function snapshotCommand(io: Io): Command {
  const save = clientCommand("save")
    .description(
      localize({
        en: "save the records of all integrations, or of one (--token)",
        pt: "salva os registros de todas as integrações, ou de uma (--token)",
      }),
    )
    .argument(optionalArg("name"), localize(NAME), "default")
    .action(async (name: string, { json, ...options }: Options) => {
      const client = clientFor(options);
      const answer = await client.control<WireSnapshot>("PUT", pathOf(name));
      if (json) io.printJson(answer);
      else await printTable(io, SNAPSHOTS, [answer], client);
    });
  const restore = clientCommand("restore")
    .description(
      localize({
        en: "restore the records of a snapshot",
        pt: "restaura os registros de um snapshot",
      }),
    )
    .argument(optionalArg("name"), localize(NAME), "default")
    .action(async (name: string, { json, ...options }: Options) => {
      const client = clientFor(options);
      const answer = await client
        .control<WireSnapshot>("POST", `${pathOf(name)}/restore`)
        .catch((error: unknown) => explain(error, name, urlOption(client.url)));
      if (json) io.printJson(answer);
      else await printTable(io, SNAPSHOTS, [answer], client);
    });
  const list = clientCommand("list")
    .description(localize({ en: "list the snapshots", pt: "lista os snapshots" }))
    .action(async ({ json, ...options }: Options) => {
      const client = clientFor(options);
      const answer = await client.control<{ data: WireSnapshot[] }>("GET", "/snapshots");
      if (json) io.printJson(answer);
      else await printTable(io, SNAPSHOTS, answer.data, client);
    });
  const remove = clientCommand("delete")
    .description(localize({ en: "delete a snapshot", pt: "apaga um snapshot" }))
    .argument(arg("name"), localize({ en: "its name", pt: "o nome dele" }))
    .action(async (name: string, { json, ...options }: Options) => {
      const client = clientFor(options);
      const answer = await client
        .control("DELETE", pathOf(name))
        .catch((error: unknown) => explain(error, name, urlOption(client.url)));
      if (json) io.printJson(answer);
      else io.print(localize({ en: "Deleted.", pt: "Apagado." }));
    });
  const command = new CliCommand("snapshot")
    .addCommand(withExamples(save, ["snapshot save", "snapshot save paid --token worker-1"]))
    .addCommand(withExamples(restore, ["snapshot restore", "snapshot restore paid"]))
    .addCommand(withExamples(list, ["snapshot list --json"]))
    .addCommand(withExamples(remove, ["snapshot delete paid"]));
  return withExamples(command, ["snapshot save paid", "snapshot restore paid", "snapshot list"]);
}

/** Names the commands instead of the routes. */
function explain(error: unknown, name: string, at: string): never {
  if (!(error instanceof CliError) || error.exitCode !== EXIT.notFound) throw error;
  const shown = JSON.stringify(name);
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
}

function pathOf(name: string): string {
  return `/snapshots/${encodeURIComponent(name)}`;
}

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
