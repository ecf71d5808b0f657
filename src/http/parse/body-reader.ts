import * as z from "zod";
import type { FieldError } from "../../core/records/errors.ts";
import type { LocalizedText } from "../../text/localized-text.ts";
import { unreadableBody } from "../calls/refusals.ts";

/** The rule of each member, in words; a function if it depends on other members. */
export type Rules = Readonly<
  Record<string, LocalizedText | ((body: Readonly<Record<string, unknown>>) => LocalizedText)>
>;

/** The draft of a valid body, or an entry for each member that is wrong. */
export type Reading<Draft> = { readonly draft: Draft } | { readonly fields: readonly FieldError[] };

/** @throws HttpRefusal 400 for JSON that is not an object. */
export type BodyReader<Draft> = (body: unknown) => Reading<Draft>;

/** Creates a reader that validates a body with a schema and converts it to a draft for the core. */
export function createReader<Schema extends z.ZodType, Draft>(
  schema: Schema,
  rules: Rules,
  toDraft: (body: z.output<Schema>) => Draft,
): BodyReader<Draft> {
  // Compiled at its first use, so that a start does not wait for it.
  let compiled: ReturnType<typeof z.compile<Schema>> | undefined;
  return (body) => {
    const members = readObject(body);
    compiled ??= z.compile(schema);
    const result = compiled.safeParse(body);
    return result.success
      ? { draft: toDraft(result.data) }
      : { fields: toFieldErrors(result.error.issues, members, rules) };
  };
}

/** @throws HttpRefusal 400 for JSON that is not an object. */
export function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw unreadableBody(NOT_AN_OBJECT);
  return body as Readonly<Record<string, unknown>>;
}

/** One entry for each wrong member, in the order of the schema. */
function toFieldErrors(
  issues: readonly z.core.$ZodIssue[],
  body: Readonly<Record<string, unknown>>,
  rules: Rules,
): FieldError[] {
  const names = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys : String(issue.path[0]),
  );
  return [...new Set(names)].map((field) => toFieldError(field, body, rules));
}

function toFieldError(
  field: string,
  body: Readonly<Record<string, unknown>>,
  rules: Rules,
): FieldError {
  const value = Object.hasOwn(body, field) ? body[field] : undefined;
  if (value === undefined) {
    return {
      field,
      code: "REQUIRED_VALUE",
      message: { en: `${field} is required.`, pt: `${field} é obrigatório.` },
    };
  }
  if (value === null || (typeof value === "string" && value.trim() === "")) {
    return {
      field,
      code: "EMPTY_VALUE",
      message: { en: `${field} is empty.`, pt: `${field} está vazio.` },
    };
  }
  const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
  const message = typeof rule === "function" ? rule(body) : (rule ?? unknownMember(field));
  return { field, code: "INVALID_VALUE", message };
}

function unknownMember(field: string): LocalizedText {
  return { en: `${field} is not a documented member.`, pt: `${field} não é um campo documentado.` };
}

const NOT_AN_OBJECT = {
  en: "The body must be a JSON object.",
  pt: "O corpo deve ser um objeto JSON.",
};
