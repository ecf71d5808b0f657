import * as z from "zod";
import { invalidFields } from "../../core/errors.ts";
import type { Page } from "../../core/state/table.ts";
import { type Answer, toListAnswer } from "../answers/answer.ts";
import type { Call } from "../call.ts";

/** The requested page of a list. */
export const pageQuery = z.strictObject({
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
  after: z.string().optional().meta({ description: "The `next` of the previous page." }),
});

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

const QUERY_RULES: Readonly<Record<string, { en: string; pt: string }>> = {
  limit: {
    en: "limit must be an integer from 1 to 1000.",
    pt: "limit deve ser um número inteiro de 1 a 1000.",
  },
  status: {
    en: "status must be a status of these records.",
    pt: "status deve ser um status destes registros.",
  },
  timeout_ms: {
    en: "timeout_ms must be an integer of milliseconds from 0 to 600000.",
    pt: "timeout_ms deve ser um número inteiro de milissegundos de 0 a 600000.",
  },
};

function wrong(field: string) {
  return {
    en: `${field} is not a parameter of this path, or its value is invalid.`,
    pt: `${field} não é um parâmetro deste caminho, ou seu valor é inválido.`,
  };
}

/**
 * The response with a page of a list.
 * @throws GatewayError if `after` is not a position in the list: `page` is undefined.
 */
export function toPage<Row, Wire>(
  page: Page<Row> | undefined,
  toWire: (row: Row) => Wire,
): Answer<{ data: Wire[]; next: string | null }> {
  if (!page)
    throw invalidFields([{ field: "after", code: "INVALID_VALUE", message: UNKNOWN_POSITION }]);
  return toListAnswer({ data: page.rows, next: page.next }, toWire);
}

const UNKNOWN_POSITION = {
  en: "after must be the `next` of an earlier page.",
  pt: "after deve ser o `next` de uma página anterior.",
};
