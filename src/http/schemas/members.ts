import * as z from "zod";
import { EVENT_TYPES } from "../../core/records/delivery.ts";
import { pageOfOne } from "./samples.ts";

/** Members that several responses have. */
export const instant = instantWith({});
export const cpf = z.string().regex(/^\d{11}$/);
export const value = z.number().positive().meta({
  description: "In the unit that the assumption `value.unit` had when the record was created.",
});
export const eventType = z.enum(EVENT_TYPES);
export const integration = z.string().meta({ description: "The `x-api-token` it belongs to." });
export const settledAt = instant.nullable().meta({
  description: "When it reached its final status.",
});
export const clockMode = z.enum(["real", "frozen"]);
export const secret = z.string().regex(/^whsec_[A-Za-z0-9+/]+=*$/);

/** A time in ISO 8601, with more keywords. */
export function instantWith(keywords: Readonly<Record<string, unknown>>) {
  const text = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  return text.meta({ format: "date-time", ...keywords });
}

/** A page of a list, as a component of the OpenAPI document. */
export function pageOf<Row extends z.ZodType>(
  row: Row,
  { id, description, example }: { id: string; description: string; example: unknown },
) {
  const next = z.string().nullable().meta({
    description: "The value of `after` for the next page; null on the last page.",
  });
  const page = z.object({ data: z.array(row), next });
  return page.meta({ id, description, examples: [pageOfOne(example)] });
}

/** A whole list, as a component of the OpenAPI document. */
export function listOf<Row extends z.ZodType>(
  row: Row,
  { id, description, example }: { id: string; description: string; example: unknown },
) {
  const list = z.object({ data: z.array(row), next: z.null() });
  return list.meta({ id, description, examples: [pageOfOne(example)] });
}

/** A fault that acted on a request or on an attempt. */
export const actedFault = z.object({
  id: z
    .string()
    .nullable()
    .meta({ description: "Null if the request itself asked for it, or by a magic value." }),
  effect: z.string().meta({ description: "Its effect, such as `lost_answer`." }),
});
