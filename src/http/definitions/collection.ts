import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import { type Filters, type FilterValues, rowsWith } from "../../core/state/filters.ts";
import type { Page, PageRequest } from "../../core/state/page.ts";
import type { View } from "../../core/state/view.ts";
import { TOTAL_HEADER } from "../../wire/names.ts";
import { type Answer, toAnswer, withHeaders } from "../calls/call.ts";
import { unknownRecord } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { type Asked, type Route, route } from "./route.ts";
import { english } from "../../text/languages.ts";
import { say } from "../../text/message.ts";

/** Rows that an integration can see. */
interface Source<Row> {
  /** @returns undefined if no row has the id from which the page is requested */
  page(request: PageRequest, isWanted?: (row: Row) => boolean): Page<Row> | undefined;
  find(id: string): Row | undefined;
}

/** A list that is read page by page. */
interface List<Row, Schema extends z.ZodType, All extends Filters<Row>> {
  readonly summary: string;
  /** One row as it is shown. */
  readonly row: Schema;
  readonly filters?: All;
  readonly rows: (view: View, context: Context, token: string | null) => Pick<Source<Row>, "page">;
  readonly toWire: (row: Row, context: Context, asked: Asked) => z.output<Schema>;
}

interface Collection<
  Row,
  Schema extends z.ZodType,
  All extends Filters<Row>,
  Verb extends string,
> extends Omit<List<Row, Schema, All>, "summary"> {
  /** What one row is called. */
  readonly noun: Parameters<typeof unknownRecord>[0];
  readonly summary?: string;
  readonly rows: (view: View, context: Context, token: string | null) => Source<Row>;
  readonly moves?: Readonly<Record<Verb, Move<Row>>>;
}

/** What can be done to a row. */
interface Move<Row> {
  readonly summary: string;
  /** @returns the row after it; undefined for an unknown id */
  run(asked: Asked, context: Context): Promise<Row | undefined>;
}

/** The parameters that select a page of a list. */
const PAGE = {
  limit: z
    .string()
    .regex(/^(?:[1-9]\d{0,2}|1000)$/)
    .transform(Number)
    .default(100)
    .meta({
      type: "integer",
      minimum: 1,
      maximum: 1000,
      description: "The maximum number of rows.",
    }),
  after: z.string().optional().meta({
    description:
      "Starts the page after the row with this id, such as the `next` of the previous page.",
  }),
  before: z.string().optional().meta({
    description:
      "Ends the page before the row with this id. `next` is then the `before` of the page in front of it.",
  }),
  order: z.enum(["asc", "desc"]).default("asc").meta({
    description: "`asc`, the default, is oldest first; `desc` is newest first.",
  }),
  prefix: z.string().min(1).optional().meta({
    description: "Only rows whose id begins with this text.",
  }),
  search: z.string().min(1).optional().meta({
    description: "Only rows with this text in the value of a member, in upper or lower case.",
  }),
};

const PAGE_RULES = {
  limit: say`limit must be an integer from 1 to 1000.`,
  before: say`before cannot be combined with after.`,
};

/** The parameters of filters. */
export function filterQuery<const All extends Filters>(filters: All) {
  const schemas = Object.entries(filters).map(([name, { choices, help }]) => [
    name,
    (choices ? z.enum(choices) : z.string().min(1))
      .optional()
      .meta({ description: `${english(help).replace(/^./, (first) => first.toUpperCase())}.` }),
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
  rows,
  toWire,
}: List<Row, Schema, All>) {
  const query = z.strictObject({ ...PAGE, ...filterQuery(filters) }).refine(isFromOneEnd, {
    path: ["before"],
  });
  return route({
    summary,
    query,
    rules: PAGE_RULES,
    answer: pageOf(row),
    async respond(asked, context) {
      const request = asked.query as PageRequest & { readonly search?: string } & FilterValues<All>;
      const text = request.search?.toLowerCase();
      const passes = rowsWith<Row, All>(filters, request);
      const isWanted = (one: Row): boolean =>
        (passes?.(one) ?? true) &&
        (text === undefined || occurs(text, toWire(one, context, asked)));
      const isWhole = passes === undefined && text === undefined;
      const page = await context.gateway.read(asked.token, (view) =>
        rows(view, context, asked.token).page(request, isWhole ? undefined : isWanted),
      );
      return toPage(request, page, (one) => toWire(one, context, asked));
    },
  });
}

function isFromOneEnd({ after, before }: { after?: unknown; before?: unknown }): boolean {
  return after === undefined || before === undefined;
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
  const { noun, row, rows, toWire, moves } = all;
  const pages = list<Row, Schema, All>({ summary: `Lists ${name}.`, ...all });
  const show = route({
    summary: `Shows a ${noun}.`,
    answer: row,
    async run(asked, context) {
      const found = await context.gateway.read(asked.token, (view) =>
        rows(view, context, asked.token).find(asked.id),
      );
      if (!found) throw unknownRecord(noun, asked.id);
      return toWire(found, context, asked);
    },
  });
  const moving = Object.entries<Move<Row>>(moves ?? {}).map(([verb, move]) => [
    `POST /${name}/{id}/${verb}`,
    route({
      summary: move.summary,
      answer: row,
      async run(asked, context) {
        const moved = await move.run(asked, context);
        if (!moved) throw unknownRecord(noun, asked.id);
        return toWire(moved, context, asked);
      },
    }),
  ]);
  return {
    [`GET /${name}`]: pages,
    [`GET /${name}/{id}`]: show,
    ...Object.fromEntries(moving),
  } as Record<`GET /${Name}`, typeof pages> &
    Record<`GET /${Name}/{id}`, typeof show> &
    Record<`POST /${Name}/{id}/${Verb}`, Route<z.output<Schema>, never>>;
}

/** The schema of a page of a list. */
export function pageOf<Row extends z.ZodType>(row: Row) {
  const next = z.string().nullable().meta({
    description: "The value of `after` for the next page; null on the last page.",
  });
  return z.object({ data: z.array(row), next });
}

/** Whether a text, in lower case, occurs in a value or in one of its members. */
function occurs(text: string, value: unknown): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).some((member) => occurs(text, member));
  return value !== null && `${value as string | number | boolean}`.toLowerCase().includes(text);
}

/**
 * The response with a page of a list, and the length of the whole list in a header if it is known.
 * @throws GatewayError if the list does not contain the row from which the page was requested: `page` is undefined.
 */
function toPage<Row, Wire>(
  { before, prefix }: PageRequest,
  page: Page<Row> | undefined,
  toWire: (row: Row) => Wire,
): Answer<{ data: Wire[]; next: string | null }> {
  if (!page) {
    const field = before === undefined ? "after" : "before";
    throw invalidFields([{ field, code: "INVALID_VALUE", message: UNKNOWN_POSITION }]);
  }
  const answer = toAnswer({ data: page.rows.map(toWire), next: page.next });
  return page.total === undefined || prefix !== undefined
    ? answer
    : withHeaders(answer, { [TOTAL_HEADER]: String(page.total) });
}

const UNKNOWN_POSITION = say`after and before must be ids of rows that this list contains.`;
