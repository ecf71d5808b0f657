import type { Command } from "commander";
import { type Query, toQuery } from "../client/wire-client.ts";
import type { ClientOptions, CommandClient, ListPage } from "./command-client.ts";
import type { Io } from "./io.ts";
import { type IdKind, resolveId } from "./resolve-id.ts";
import { localize } from "./language.ts";
import { afterOption, beforeOption, clientFor, limitOption, MAX_LIMIT } from "./options.ts";
import type { WireClock } from "./render-clock.ts";
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

/** A list of a control route. */
export interface List<Row> {
  readonly path: string;
  /** Absent if its ids are always given whole. */
  readonly kind?: IdKind;
  readonly filter?: Query;
  readonly table: Table<Row>;
  /** Whether it begins with the oldest entries, instead of ending with the newest. */
  readonly isOldestFirst?: boolean;
}

/** Adds the options of {@link printList}. */
export function withListOptions(command: Command, limit = 20): Command {
  return command.addOption(limitOption(limit)).addOption(afterOption()).addOption(beforeOption());
}

/** Prints the newest entries of a list, the newest last, and how to see more. With `--json` prints the response. */
export async function printList<Row>(io: Io, list: List<Row>, options: ListOptions): Promise<void> {
  const { path, kind, filter, table, isOldestFirst = false } = list;
  const { limit, json } = options;
  const client = clientFor(options);
  const whole = async (id?: string): Promise<string | undefined> =>
    id === undefined || kind === undefined ? id : resolveId(client, kind, id);
  const [after, before] = [await whole(options.after), await whole(options.before)];
  // The route counts in its own order: if it starts with the newest entry, older ones come after newer ones.
  const query = isOldestFirst
    ? { ...filter, limit, after, before }
    : { ...filter, order: "desc", limit, after: before, before: after };
  const page = await client.page<Row>(`${path}${toQuery(query)}`);
  if (json) return io.printJson(page.document);
  const { data } = page.document;
  await printTable(io, table, isOldestFirst ? data : data.toReversed(), client);
  const more = describeMore(page, options, isOldestFirst);
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

/** The option that shows more, and the number of the other entries if it is known. */
function describeMore(
  { document: { data, next }, total }: ListPage<unknown>,
  { after, before }: ListOptions,
  isOldestFirst: boolean,
): string | undefined {
  if (next === null) return undefined;
  const isForward = isOldestFirst ? before === undefined : after !== undefined;
  const option = `${isForward ? "--after" : "--before"} ${next}`;
  if (total === undefined || after !== undefined || before !== undefined)
    return localize({ en: `More: ${option}`, pt: `Mais: ${option}` });
  const count = total - data.length;
  const limit = Math.min(total, MAX_LIMIT);
  return localize({
    en: `${count} more: --limit ${limit}, or ${option}`,
    pt: `Mais ${count}: --limit ${limit}, ou ${option}`,
  });
}
