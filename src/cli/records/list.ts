import type { Filters, FilterValues } from "../../core/state/filters.ts";
import type { ValuesOf } from "../../http/routes/table.ts";
import type { Page } from "../../wire/route-key.ts";
import type { Calls, ListKey, RowOf } from "../../client/calls.ts";
import {
  type CommandBuilder,
  defineOwnCommand,
  type None,
  type Run,
} from "../definition/define-command.ts";
import type { Example } from "../definition/help.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import {
  freeText,
  type Given,
  integer,
  oneOf,
  type Parameter,
  type Parameters,
} from "../definition/parameters.ts";
import type { IdKind } from "../definition/resolve-id.ts";
import { renderTable, type Table } from "../terminal/table.ts";
import { type Message, say } from "../../text/message.ts";

/** The maximum of `--limit`. */
export const MAX_LIMIT = 1000;

/** A list that a route responds with, page by page. */
interface List<Key extends ListKey> {
  readonly route: Key;
  readonly table: Table<RowOf<Key>>;
  /** Whether it begins with the oldest entries, instead of ending with the newest. */
  readonly isOldestFirst?: boolean;
}

/** The options of a list: which part of it to show. The ids of `kind` can be shortened; without one they are whole. */
function listFlags(kind?: IdKind, limit = 20) {
  const names = kind === undefined ? {} : { names: kind };
  return {
    limit: integer([1, MAX_LIMIT], "number", say`the maximum number of entries`, {
      default: limit,
    }),
    after: freeText("id", say`only entries newer than the one with this id`, names),
    before: freeText("id", say`only entries older than the one with this id`, names),
  };
}

export function filterFlags<const All extends Filters>(filters: All) {
  const flags = Object.entries(filters).map(([name, { choices, value, help }]) => [
    name,
    choices ? oneOf(choices, value, help) : freeText(value, help),
  ]);
  return Object.fromEntries(flags) as {
    readonly [Name in keyof All]: Parameter<NonNullable<FilterValues<All>[Name]>>;
  };
}

type ListFlags = ReturnType<typeof listFlags>;
type Part = Given<unknown, ListFlags>;

/** Defines a command that prints the newest entries of a list. Its flags are parameters of the route's query. */
export function defineList<const Key extends ListKey, const Flags extends Parameters = None>(
  line: string,
  definition: List<Key> & {
    readonly summary?: Message;
    /** The kind of the entries' ids. */
    readonly of?: IdKind;
    readonly flags?: Flags;
    readonly limit?: number;
    readonly examples: readonly Example[];
  } & ([keyof Flags] extends [keyof ValuesOf<Key>] ? unknown : { readonly flags: never }),
): CommandBuilder {
  const { summary, of, flags, limit, examples } = definition;
  return defineOwnCommand(line, {
    ...(summary && { summary }),
    flags: { ...flags, ...listFlags(of, limit) },
    examples,
    run: (given, run) => printList(definition, given as unknown as Part, run),
  });
}

/** Prints the newest entries of a list, the newest last, and how to see more. With `--json` prints the response. */
async function printList<Key extends ListKey>(
  { route, table, isOldestFirst = false }: List<Key>,
  given: Part,
  { io, client, json }: Pick<Run, "io" | "client" | "json">,
): Promise<void> {
  // The route counts in its own order: if it starts with the newest entry, older ones come after newer ones.
  const { after, before } = given;
  const query = isOldestFirst ? given : { ...given, order: "desc", after: before, before: after };
  const page = await client.page(route, query);
  if (json) return io.printJson(page.document);
  const { data } = page.document;
  await printTable(io, table, isOldestFirst ? data : data.toReversed(), client);
  const more = describeMore(page, given, isOldestFirst);
  return more === undefined ? undefined : io.printError(more);
}

/** Shows a response as a table: a list, or one record. */
export function asTable<Row extends object>(table: Table<Row>) {
  return (response: Row | { readonly data: readonly Row[] }, { io, client }: Run): Promise<void> =>
    printTable(io, table, "data" in response ? response.data : [response], client);
}

/** Prints a table. On a terminal its times are relative to the sandbox's. */
export async function printTable<Row>(
  io: Io,
  table: Table<Row>,
  rows: readonly Row[],
  client: Calls,
): Promise<void> {
  const { columns, color } = io;
  const isRelative = columns !== undefined && rows.length > 0;
  const clock = isRelative ? await client.call("GET /clock") : undefined;
  const nowMs = clock && Date.parse(clock.now);
  io.print(renderTable(table, rows, { columns, nowMs, color }));
}

/** The option that shows more, and the number of the other entries if it is known. */
function describeMore(
  {
    document: { data, next },
    total,
  }: { readonly document: Page<unknown>; readonly total: number | undefined },
  { after, before }: Part,
  isOldestFirst: boolean,
): string | undefined {
  if (next === null) return undefined;
  const isForward = isOldestFirst ? before === undefined : after !== undefined;
  const option = `${isForward ? "--after" : "--before"} ${next}`;
  if (total === undefined || after !== undefined || before !== undefined)
    return localize(say`More: ${option}`);
  const count = total - data.length;
  const limit = Math.min(total, MAX_LIMIT);
  return localize(say`${count} more: --limit ${limit}, or ${option}`);
}
