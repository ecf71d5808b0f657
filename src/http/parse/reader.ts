import * as z from "zod";
import { CPF_SHAPE, PIX_KEY_RULES } from "../../core/records/checks.ts";
import { type FieldError, invalidFields } from "../../core/records/errors.ts";
import { SAMPLE } from "../../wire/sample.ts";
import { joined, type Message, say } from "../../text/message.ts";
import type { Call } from "../calls/call.ts";
import type { Members } from "./body.ts";

/** The rule of each member, in words; a function if it depends on other members. */
export type Rules = Readonly<Record<string, Message | ((body: Members) => Message)>>;

/** Returns the draft of a valid body for the core; adds an entry to `fields` for each member that is wrong. */
export type BodyReader<Draft> = (members: Members, fields: FieldError[]) => Draft | undefined;

/** Creates a reader that validates a body with a schema and converts it to a draft. */
export function createReader<Schema extends z.ZodType, Draft>(
  schema: Schema,
  rules: Rules,
  toDraft: (body: z.output<Schema>) => Draft,
): BodyReader<Draft> {
  // Compiled at its first use, so that a start does not wait for it.
  let compiled: ReturnType<typeof z.compile<Schema>> | undefined;
  return (members, fields) => {
    compiled ??= z.compile(schema);
    const result = compiled.safeParse(members);
    if (result.success) return toDraft(result.data);
    const { issues } = result.error;
    for (const field of namesIn(issues)) {
      const issue = issues.find(({ path }) => path[0] === field);
      fields.push(toFieldError(field, members, ruleOf(field, members, rules), issue));
    }
    return undefined;
  };
}

/** The names of the wrong members, in the order of the schema. */
function namesIn(issues: readonly z.core.$ZodIssue[]): string[] {
  const names = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys : String(issue.path[0]),
  );
  return [...new Set(names)];
}

function ruleOf(field: string, sent: Members, rules: Rules): Message | undefined {
  const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
  return typeof rule === "function" ? rule(sent) : rule;
}

function toFieldError(
  field: string,
  body: Members,
  rule: Message | undefined,
  issue: z.core.$ZodIssue | undefined,
): FieldError {
  const value = Object.hasOwn(body, field) ? body[field] : undefined;
  if (value === undefined)
    return { field, code: "REQUIRED_VALUE", message: say`${field} is required.` };
  if (value === null || (typeof value === "string" && value.trim() === ""))
    return { field, code: "EMPTY_VALUE", message: say`${field} is empty.` };
  const message = rule ?? say`${field} is not a documented member.`;
  const isCpf = field.endsWith("_cpf") || message === PIX_KEY_RULES.cpf;
  const hint = hintFor(field, value, isCpf, issue);
  return { field, code: "INVALID_VALUE", message: hint ? joined([message, hint]) : message };
}

/** What to do about a usual mistake. */
function hintFor(
  field: string,
  value: unknown,
  isCpf: boolean,
  issue: z.core.$ZodIssue | undefined,
): Message | undefined {
  if (isCpf && typeof value === "number") return say`Write it in quotes.`;
  if (typeof value !== "string") return undefined;
  if (field === "webhook_url" && !/^https?:\/\//i.test(value))
    return say`Begin with http:// or https://.`;
  if (isCpf && !CPF_SHAPE.test(value) && CPF_SHAPE.test(value.replaceAll(/[\s.-]/g, "")))
    return say`Use only digits: ${SAMPLE.cpf}.`;
  const expected = issue?.code === "invalid_type" ? issue.expected : undefined;
  if (expected === "number" && /^\d+,\d+$/.test(value))
    return say`Write it without quotes and with a dot, such as 10.50.`;
  const isQuoted =
    (expected === "number" && /^\d+(?:\.\d+)?$/.test(value)) ||
    (expected === "boolean" && /^(?:true|false)$/.test(value));
  return isQuoted ? say`Write it without quotes.` : undefined;
}

/** @throws GatewayError with an entry for each parameter of the query that does not match the schema. */
export function readQuery<Schema extends z.ZodObject>(
  call: Call,
  schema: Schema,
  rules: Rules,
): z.output<Schema> {
  const sent = Object.fromEntries(call.location.searchParams);
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  const toError = (field: string): FieldError => {
    const message = ruleOf(field, sent, rules) ?? wrongParameter(field);
    return { field, code: "INVALID_VALUE", message };
  };
  throw invalidFields(namesIn(result.error.issues).map(toError));
}

function wrongParameter(field: string): Message {
  return say`${field} is not a parameter of this path, or its value is invalid.`;
}
