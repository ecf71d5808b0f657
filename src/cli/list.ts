import type { Command } from "commander";
import { type Query, toQuery } from "../api/wire-client.ts";
import type { ClientOptions, CommandClient, ListPage } from "./command-client.ts";
import type { Io } from "./io.ts";
import { localize } from "./language.ts";
import { afterOption, beforeOption, clientFor, limitOption, MAX_LIMIT } from "./options.ts";
import type { WireClock } from "./render.ts";
import { renderTable, type Table } from "./table.ts";

/** The part of a list that a command shows. */
export interface ListOptions extends ClientOptions {
  readonly limit: number;
  /** Only newer entries. */
  readonly after?: string;
  /** Only older entries. */
  readonly before?: string;
  readonly json?: boolean;
}

/** Adds the options of {@link printList}. */
export function withListOptions(command: Command): Command {
  return command.addOption(limitOption()).addOption(afterOption()).addOption(beforeOption());
}

/** Prints the newest entries of a list, the newest last, and how to see more. With `--json` prints the response. */
export async function printList<Row>(
  io: Io,
  { path, filter, table }: { path: string; filter?: Query; table: Table<Row> },
  options: ListOptions,
): Promise<void> {
  const { limit, after, before, json } = options;
  const client = clientFor(options);
  // The route counts in its own order, in which older entries come after newer ones.
  const query = toQuery({ ...filter, order: "desc", limit, after: before, before: after });
  const page = await client.page<Row>(`${path}${query}`);
  if (json) return io.printJson(page.document);
  await printTable(io, table, page.document.data.toReversed(), client);
  const more = describeMore(page, options);
  return more === undefined ? undefined : io.printError(more);
}

/** Prints a table. On a terminal its times are relative to the sandbox's. */
export async function printTable<Row>(
  io: Io,
  table: Table<Row>,
  rows: readonly Row[],
  client: CommandClient,
): Promise<void> {
  const { columns, color } = io;
  const isRelative = columns !== undefined && rows.length > 0;
  const clock = isRelative ? await client.control<WireClock>("GET", "/clock") : undefined;
  const nowMs = clock && Date.parse(clock.now);
  io.print(renderTable(table, rows, { columns, nowMs, color }));
}

/** The option that shows more, and the number of older entries if it is known. */
function describeMore(
  { document: { data, next }, total }: ListPage<unknown>,
  { after, before }: ListOptions,
): string | undefined {
  if (next === null) return undefined;
  if (total === undefined || after !== undefined || before !== undefined) {
    const option = `${after === undefined ? "--before" : "--after"} ${next}`;
    return localize({ en: `More: ${option}`, pt: `Mais: ${option}` });
  }
  const count = total - data.length;
  const limit = Math.min(total, MAX_LIMIT);
  return localize({
    en: `${count} more: --limit ${limit}, or --before ${next}`,
    pt: `Mais ${count}: --limit ${limit}, ou --before ${next}`,
  });
}
