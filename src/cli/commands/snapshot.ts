import type { WireSnapshot } from "../../core/state/wire.ts";
import { PROGRAM } from "../../platform/program.ts";
import { CREATED, INTEGRATION } from "../records/columns.ts";
import { urlOption } from "../client/command-client.ts";
import { defineCommand, defineGroup, type Run } from "../definition/define-command.ts";
import { SandboxError } from "../../client/calls.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { asTable } from "../records/list.ts";
import { freeText } from "../definition/parameters.ts";
import { type Table, toTableTime } from "../terminal/table.ts";
import { say } from "../../text/message.ts";

export const SNAPSHOTS: Table<WireSnapshot> = {
  none: say`No snapshots.`,
  columns: [
    { title: say`NAME`, text: ({ name }) => name, least: 16 },
    INTEGRATION,
    { title: CREATED.title, text: ({ taken_at }, look) => toTableTime(taken_at, look) },
    { title: "PAYINS", text: ({ payins }) => String(payins) },
    { title: "PAYOUTS", text: ({ payouts }) => String(payouts) },
    { title: "WEBHOOKS", text: ({ deliveries }) => String(deliveries) },
  ],
};

const NAME = freeText("name", say`lower-case letters, digits, dots, hyphens and underscores`, {
  isOptional: true,
  default: "default",
});

const save = defineCommand("snapshot save", {
  summary: say`save the records of all integrations, or of one (--token)`,
  arguments: { name: NAME },
  route: "PUT /snapshots/{name}",
  show: asTable(SNAPSHOTS),
  examples: ["snapshot save", "snapshot save paid --token worker-1"],
});

const restore = defineCommand("snapshot restore", {
  summary: say`restore the records of a snapshot`,
  arguments: { name: NAME },
  route: "POST /snapshots/{name}/restore",
  around: explained,
  show: asTable(SNAPSHOTS),
  examples: ["snapshot restore", "snapshot restore paid"],
});

const list = defineCommand("snapshot list", {
  summary: say`list the snapshots`,
  route: "GET /snapshots",
  show: asTable(SNAPSHOTS),
  examples: ["snapshot list --json"],
});

const remove = defineCommand("snapshot delete", {
  summary: say`delete a snapshot`,
  arguments: { name: freeText("name", say`its name`) },
  route: "DELETE /snapshots/{name}",
  around: explained,
  show: () => say`Deleted.`,
  examples: ["snapshot delete paid"],
});

/** Sends a request. If the snapshot does not exist, the error names commands, where the gateway's names routes. */
async function explained<Response>(
  send: () => Promise<Response>,
  { client }: Run,
  { name = "" }: { readonly name: string | undefined },
): Promise<Response> {
  return send().catch((error: unknown) => {
    if (!(error instanceof SandboxError && error.status === 404)) throw error;
    const [shown, at] = [JSON.stringify(name), urlOption(client.url)];
    throw new CliError(
      EXIT.notFound,
      "NOT_FOUND",
      say`There is no snapshot with the name ${shown}.`,
      say`List them with: ${PROGRAM} snapshot list${at}. Save one with: ${PROGRAM} snapshot save NAME${at}`,
    );
  });
}

export const snapshotCommand = defineGroup(
  "snapshot",
  ["snapshot save paid", "snapshot restore paid", "snapshot list"],
  [save, restore, list, remove],
);
