import { Command } from "commander";
import type { WireSnapshot } from "../../core/wire.ts";
import type { ClientOptions } from "../client.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { renderTable } from "../render.ts";

type Options = ClientOptions & { readonly json?: boolean };

const NAME = "small letters, digits, dots, hyphens and underscores";

export function snapshotCommand(io: Io): Command {
  const show = (answer: unknown, json: boolean | undefined, text: string): void => {
    if (json) io.printJson(answer);
    else io.print(text);
  };
  const save = clientCommand("save")
    .description("keep the records as they are, of all integrations or of one (--token)")
    .argument("[name]", NAME, "default")
    .action(async (name: string, { json, ...options }: Options) => {
      const answer = await clientFor(options).control<WireSnapshot>("PUT", pathOf(name));
      show(answer, json, render([answer], io));
    });
  const restore = clientCommand("restore")
    .description("put everything back as it was when the snapshot was taken")
    .argument("[name]", NAME, "default")
    .action(async (name: string, { json, ...options }: Options) => {
      const path = `${pathOf(name)}/restore`;
      const answer = await clientFor(options).control<WireSnapshot>("POST", path);
      show(answer, json, render([answer], io));
    });
  const list = clientCommand("list")
    .description("list the snapshots")
    .action(async ({ json, ...options }: Options) => {
      const answer = await clientFor(options).control<{ data: WireSnapshot[] }>(
        "GET",
        "/snapshots",
      );
      show(answer, json, answer.data.length === 0 ? t`No snapshots.` : render(answer.data, io));
    });
  const remove = clientCommand("delete")
    .description("delete a snapshot")
    .argument("<name>", "its name")
    .action(async (name: string, { json, ...options }: Options) => {
      const answer = await clientFor(options).control("DELETE", pathOf(name));
      show(answer, json, t`Deleted.`);
    });
  const command = new Command("snapshot")
    .description("keep the records under a name, and put them back")
    .addCommand(withExamples(save, ["snapshot save", "snapshot save paid --token worker-1"]))
    .addCommand(withExamples(restore, ["snapshot restore", "snapshot restore paid"]))
    .addCommand(withExamples(list, ["snapshot list --json"]))
    .addCommand(withExamples(remove, ["snapshot delete paid"]));
  return withExamples(command, ["snapshot save paid", "snapshot restore paid", "snapshot list"]);
}

function pathOf(name: string): string {
  return `/snapshots/${encodeURIComponent(name)}`;
}

function render(snapshots: readonly WireSnapshot[], { colour }: Io): string {
  const rows = snapshots.map(({ name, integration, taken_at, payins, payouts, deliveries }) => [
    name,
    integration ?? t`(all)`,
    taken_at,
    ...[payins, payouts, deliveries].map(String),
  ]);
  const titles = [t`NAME`, t`INTEGRATION`, t`TAKEN`, "PAYINS", "PAYOUTS", "WEBHOOKS"];
  return renderTable(titles, rows, colour);
}
