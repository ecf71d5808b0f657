import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import { type Filters, type FilterValues, rowsWith } from "../../core/state/filters.ts";
import type { Page, PageRequest } from "../../core/state/page.ts";
import type { View } from "../../core/state/view.ts";
import { TOTAL_HEADER } from "../../wire/names.ts";
import { toAnswer, withHeaders } from "../calls/call.ts";
import { unknownRecord } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { type Asked, integer, route } from "./route.ts";
import { english } from "../../text/languages.ts";
import { say } from "../../text/message.ts";

/** Where the rows of a list are found. */
interface From {
  /** What the calling integration can see. */
  readonly view: View;
  readonly context: Context;
  readonly token: string | null;
}

/** A list that is read page by page. */
interface List<Row, Schema extends z.ZodType, All extends Filters<Row>> {
  readonly summary: string;
  /** One row as it is shown. */
  readonly row: Schema;
  readonly filters?: All;
  /** @returns undefined if no row has the id from which the page is requested */
  readonly page: (from: From, ...wanted: Wanted<Row>) => Page<Row> | undefined;
  readonly toWire: (row: Row, context: Context, asked: Asked) => z.output<Schema>;
}

/** The requested part of a list, and whether a row is of it; undefined if the list is not filtered. */
type Wanted<Row> = [request: PageRequest, isWanted: ((row: Row) => boolean) | undefined];

interface Collection<
  Row,
  Schema extends z.ZodType,
  All extends Filters<Row>,
  Verb extends string,
> extends Omit<List<Row, Schema, All>, "summary"> {
  /** What one row is called. */
  readonly noun: Parameters<typeof unknownRecord>[0];
  readonly summary?: string;
  find(from: From, id: string): Row | undefined;
  /** What can be done to a row, each with its summary. */
  readonly moves?: Readonly<Record<Verb, string>>;
  /** @returns the row after a move; undefined for an unknown id */
  move?(verb: Verb, asked: Asked, context: Context): Promise<Row | undefined>;
}

/** The parameters that select a page of a list. */
const PAGE = {
  limit: integer(1, 1000, 100).describe("The maximum number of rows."),
  after: z
    .string()
    .optional()
    .describe("Starts the page after the row with this id, such as the `next` of the page before."),
  before: z
    .string()
    .optional()
    .describe("Ends the page before the row with this id; `next` is then the next `before`."),
  order: z.enum(["asc", "desc"]).default("asc").describe("Oldest first; with `desc` newest first."),
  prefix: z.string().min(1).optional().describe("Only rows whose id begins with this text."),
  search: z
    .string()
    .min(1)
    .optional()
    .describe("Only rows with this text in the value of a member, in upper or lower case."),
};

/** The parameters of filters. */
export function filterQuery<const All extends Filters>(filters: All) {
  const schemas = Object.entries(filters).map(([name, { choices, help }]) => [
    name,
    (choices ? z.enum(choices) : z.string().min(1))
      .optional()
      .describe(`${english(help).replace(/^./, (first) => first.toUpperCase())}.`),
  ]);
  return Object.fromEntries(schemas) as {
    readonly [Name in keyof All]: z.ZodOptional<
      z.ZodType<NonNullable<FilterValues<All>[Name]>, NonNullable<FilterValues<All>[Name]>>
    >;
  };
}

/** The route of a list. */
export function list<Row, Schema extends z.ZodType, const All extends Filters<Row> = NoFilters>({
  summary,
  row,
  filters = {} as All,
  page: read,
  toWire,
}: List<Row, Schema, All>) {
  const query = z
    .strictObject({ ...PAGE, ...filterQuery(filters) })
    .refine((asked: PageRequest | object) => !("after" in asked && "before" in asked), {
      path: ["before"],
    });
  return route({
    summary,
    query,
    rules: { before: say`before cannot be combined with after.` },
    answer: pageOf(row),
    async respond(asked, context) {
      const request = asked.query as PageRequest & { readonly search?: string } & FilterValues<All>;
      const text = request.search?.toLowerCase();
      const passes = rowsWith<Row, All>(filters, request);
      const isWanted = (one: Row): boolean =>
        passes?.(one) !== false &&
        (text === undefined || occurs(text, toWire(one, context, asked)));
      const isFiltered = passes !== undefined || text !== undefined;
      const { token } = asked;
      const page = await context.gateway.read(token, (view) =>
        read({ view, context, token }, request, isFiltered ? isWanted : undefined),
      );
      if (!page) {
        const field = request.before === undefined ? "after" : "before";
        throw invalidFields([{ field, code: "INVALID_VALUE", message: UNKNOWN_POSITION }]);
      }
      const data = page.rows.map((one) => toWire(one, context, asked));
      const total = page.total === undefined ? undefined : { [TOTAL_HEADER]: `${page.total}` };
      return withHeaders(toAnswer({ data, next: page.next }), total);
    },
  });
}

type NoFilters = Record<never, never>;

/** The routes of a list's rows: its pages, one row by its id, and the moves of a row. */
export function collection<
  const Name extends string,
  Row,
  Schema extends z.ZodType,
  const All extends Filters<Row> = NoFilters,
  Verb extends string = never,
>(name: Name, all: Collection<Row, Schema, All, Verb>) {
  const { noun, row, moves } = all;
  const pages = list<Row, Schema, All>({ summary: `Lists ${name}.`, ...all });
  /** A route that responds with one row. */
  const one = (
    summary: string,
    find: (asked: Asked, context: Context) => Promise<Row | undefined> | undefined,
  ) =>
    route({
      summary,
      answer: row,
      async run(asked, context) {
        const found = await find(asked, context);
        if (found) return all.toWire(found, context, asked);
        throw unknownRecord(noun, asked.id);
      },
    });
  const show = one(`Shows a ${noun}.`, ({ token, id }, context) =>
    context.gateway.read(token, (view) => all.find({ view, context, token }, id)),
  );
  const moving = Object.entries<string>(moves ?? {}).map(([verb, summary]) => [
    `POST /${name}/{id}/${verb}`,
    one(summary, (asked, context) => all.move?.(verb as Verb, asked, context)),
  ]);
  return {
    [`GET /${name}`]: pages,
    [`GET /${name}/{id}`]: show,
    ...Object.fromEntries(moving),
  } as Record<`GET /${Name}`, typeof pages> &
    Record<`GET /${Name}/{id}` | `POST /${Name}/{id}/${Verb}`, typeof show>;
}

/** The schema of a page of a list. */
export function pageOf<Row extends z.ZodType>(row: Row) {
  const next = z.string().nullable().describe("The next page's `after`; null on the last page.");
  return z.object({ data: z.array(row), next });
}

/** Whether a text, in lower case, occurs in a value or in one of its members. */
function occurs(text: string, value: unknown): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).some((member) => occurs(text, member));
  return value !== null && `${value as string | number | boolean}`.toLowerCase().includes(text);
}

const UNKNOWN_POSITION = say`after and before must be ids of rows that this list contains.`;
