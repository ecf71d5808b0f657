import type { Command } from "commander";
import type { WireSnapshot } from "../../core/wire.ts";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { renderTable } from "../render.ts";
import { arg, optionalArg } from "../placeholders.ts";
import { CliCommand } from "../command.ts";

type Options = ClientOptions & { readonly json?: boolean };

const NAME = {
  en: "lower-case letters, digits, dots, hyphens and underscores",
  pt: "letras minúsculas, dígitos, pontos, hifens e sublinhados",
};

export function snapshotCommand(io: Io): Command {
  const show = (answer: unknown, json: boolean | undefined, text: string): void => {
    if (json) io.printJson(answer);
    else io.print(text);
  };
  const save = clientCommand("save")
    .description(
      localize({
        en: "save the records of all integrations, or of one (--token)",
        pt: "salva os registros de todas as integrações, ou de uma (--token)",
      }),
    )
    .argument(optionalArg("name"), localize(NAME), "default")
    .action(async (name: string, { json, ...options }: Options) => {
      const answer = await clientFor(options).control<WireSnapshot>("PUT", pathOf(name));
      show(answer, json, render([answer], io));
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
      const path = `${pathOf(name)}/restore`;
      const answer = await clientFor(options).control<WireSnapshot>("POST", path);
      show(answer, json, render([answer], io));
    });
  const list = clientCommand("list")
    .description(localize({ en: "list the snapshots", pt: "lista os snapshots" }))
    .action(async ({ json, ...options }: Options) => {
      const answer = await clientFor(options).control<{ data: WireSnapshot[] }>(
        "GET",
        "/snapshots",
      );
      show(
        answer,
        json,
        answer.data.length === 0
          ? localize({ en: "No snapshots.", pt: "Nenhum snapshot." })
          : render(answer.data, io),
      );
    });
  const remove = clientCommand("delete")
    .description(localize({ en: "delete a snapshot", pt: "apaga um snapshot" }))
    .argument(arg("name"), localize({ en: "its name", pt: "o nome dele" }))
    .action(async (name: string, { json, ...options }: Options) => {
      const answer = await clientFor(options).control("DELETE", pathOf(name));
      show(answer, json, localize({ en: "Deleted.", pt: "Apagado." }));
    });
  const command = new CliCommand("snapshot")
    .addCommand(withExamples(save, ["snapshot save", "snapshot save paid --token worker-1"]))
    .addCommand(withExamples(restore, ["snapshot restore", "snapshot restore paid"]))
    .addCommand(withExamples(list, ["snapshot list --json"]))
    .addCommand(withExamples(remove, ["snapshot delete paid"]));
  return withExamples(command, ["snapshot save paid", "snapshot restore paid", "snapshot list"]);
}

function pathOf(name: string): string {
  return `/snapshots/${encodeURIComponent(name)}`;
}

function render(snapshots: readonly WireSnapshot[], { color }: Io): string {
  const rows = snapshots.map(({ name, integration, taken_at, payins, payouts, deliveries }) => [
    name,
    integration ?? localize({ en: "(all)", pt: "(todas)" }),
    taken_at,
    ...[payins, payouts, deliveries].map(String),
  ]);
  const titles = [
    localize({ en: "NAME", pt: "NOME" }),
    localize({ en: "INTEGRATION", pt: "INTEGRAÇÃO" }),
    localize({ en: "CREATED", pt: "CRIADO" }),
    "PAYINS",
    "PAYOUTS",
    "WEBHOOKS",
  ];
  return renderTable(titles, rows, color);
}
