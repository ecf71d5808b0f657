import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import { TOTAL_HEADER } from "../../wire/names.ts";
import type { Filters, FilterValues } from "../../core/state/filters.ts";
import type { Page, PageRequest } from "../../core/state/page.ts";
import { type Answer, toListAnswer, withHeaders } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import { english } from "../../text/languages.ts";
import { type Message, say } from "../../text/message.ts";

/** The parameters that select a page of a list. */
export const PAGE = {
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
};

export function filterQuery<const All extends Filters>(filters: All) {
  const schemas = Object.entries(filters).map(([name, { choices, help }]) => [
    name,
    (choices ? z.enum(choices) : z.string())
      .optional()
      .meta({ description: `${english(help).replace(/^./, (first) => first.toUpperCase())}.` }),
  ]);
  return Object.fromEntries(schemas) as {
    readonly [Name in keyof All]: z.ZodType<FilterValues<All>[Name]>;
  };
}

export function listQuery<Shape extends typeof PAGE>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine(
      ({ after, before }: { after?: unknown; before?: unknown }) =>
        after === undefined || before === undefined,
      { path: ["before"] },
    );
}

/** @throws GatewayError with an entry for each parameter that does not match the schema. */
export function readQuery<Schema extends z.ZodObject>(
  call: Call,
  schema: Schema,
): z.output<Schema> {
  const result = schema.safeParse(Object.fromEntries(call.url.searchParams));
  if (result.success) return result.data;
  const names = result.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys : String(issue.path[0]),
  );
  throw invalidFields(
    [...new Set(names)].map((field) => ({
      field,
      code: "INVALID_VALUE",
      message: QUERY_RULES[field] ?? wrong(field),
    })),
  );
}

const QUERY_RULES: Readonly<Record<string, Message>> = {
  limit: say`limit must be an integer from 1 to 1000.`,
  before: say`before cannot be combined with after.`,
  order: say`order must be asc or desc.`,
  status: say`status must be a status of these records.`,
  timeout_ms: say`timeout_ms must be an integer of milliseconds from 0 to 600000.`,
};

function wrong(field: string) {
  return say`${field} is not a parameter of this path, or its value is invalid.`;
}

/**
 * The response with a page of a list, and the length of the whole list in a header if it is known.
 * @throws GatewayError if the list does not contain the row from which the page was requested: `page` is undefined.
 */
export function toPage<Row, Wire>(
  { before, prefix }: PageRequest,
  page: Page<Row> | undefined,
  toWire: (row: Row) => Wire,
): Answer<{ data: Wire[]; next: string | null }> {
  if (!page) {
    const field = before === undefined ? "after" : "before";
    throw invalidFields([{ field, code: "INVALID_VALUE", message: UNKNOWN_POSITION }]);
  }
  const answer = toListAnswer({ data: page.rows, next: page.next }, toWire);
  return page.total === undefined || prefix !== undefined
    ? answer
    : withHeaders(answer, { [TOTAL_HEADER]: String(page.total) });
}

const UNKNOWN_POSITION = say`after and before must be ids of rows that this list contains.`;
