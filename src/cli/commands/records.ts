import { type Command, Option } from "commander";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { type ListOptions, printList, withListOptions } from "../list.ts";
import { clientCommand, clientFor, someText, withExamples } from "../options.ts";
import { renderRecord } from "../render.ts";
import { idHelp, resolveId } from "../resolve-id.ts";
import type { Table } from "../table.ts";
import type { LocalizedText } from "../../text/localized-text.ts";

type Noun = "payin" | "payout";

const SOME_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";

export function listCommand<Row>(
  io: Io,
  noun: Noun,
  statuses: readonly string[],
  table: Table<Row>,
): Command {
  const command = clientCommand("list")
    .description(
      localize({
        en: `list the newest ${noun}s, the newest last`,
        pt: `lista os ${noun}s mais recentes, com o mais novo no fim`,
      }),
    )
    .addOption(
      new Option(
        "--status <status>",
        localize({ en: "only with this status", pt: "só com este status" }),
      ).choices(statuses),
    );
  withListOptions(command).action(
    ({ status, ...options }: ListOptions & { readonly status?: string }) =>
      printList(io, { path: `/${noun}s`, kind: noun, filter: { status }, table }, options),
  );
  return withExamples(command, [`${noun} list`, `${noun} list --status waiting --json`]);
}

export function showCommand(io: Io, noun: Noun): Command {
  const command = clientCommand("show")
    .description(localize({ en: `show a ${noun}`, pt: `mostra um ${noun}` }))
    .argument("<id>", idHelp(noun), someText)
    .action(async (id: string, { json, ...options }: ClientOptions & { json?: boolean }) => {
      const client = clientFor(options);
      const path = `/${noun}s/${await resolveId(client, noun, id)}`;
      const record = await client.control<Record<string, unknown>>("GET", path);
      if (json) io.printJson(record);
      else io.print(renderRecord(record));
    });
  return withExamples(command, [`${noun} show last`, `${noun} show ${SOME_ID}`]);
}

/** Creates a command that moves a waiting record to a final status. */
export function moveCommand(io: Io, noun: Noun, move: string, description: LocalizedText): Command {
  const command = clientCommand(move)
    .description(localize(description))
    .argument("<id>", idHelp(noun), someText)
    .action(async (id: string, { json, ...options }: ClientOptions & { json?: boolean }) => {
      const client = clientFor(options);
      const path = `/${noun}s/${await resolveId(client, noun, id)}/${move}`;
      const record = await client.control<MovedRecord>("POST", path);
      if (json) io.printJson(record);
      else printMoved(io, noun, record);
    });
  return withExamples(command, [`${noun} ${move} last`, `${noun} ${move} ${SOME_ID}`]);
}

/** A record that has a new status. */
export interface MovedRecord {
  readonly id: string;
  readonly status: string;
}

/** Prints the new status of a record. */
export function printMoved(io: Io, noun: Noun, { id, status }: MovedRecord): void {
  io.print(localize({ en: `${noun} ${id} is ${status}`, pt: `${noun} ${id} está ${status}` }));
}
