import { isUtf8 } from "node:buffer";
import * as z from "zod";
import { CPF_SHAPE, PIX_KEY_RULES } from "../../core/records/checks.ts";
import { type FieldError, invalidFields } from "../../core/records/errors.ts";
import { joined, type Message, say } from "../../text/message.ts";
import { isTooDeep, jsonError, MAX_JSON_LEVELS } from "../../wire/json.ts";
import { SAMPLE } from "../../wire/sample.ts";
import { type Call, MAX_BODY_BYTES, readHeader } from "../calls/call.ts";
import { HttpRefusal } from "../calls/refusals.ts";

/** Of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** Other parameters than the charset do not change how JSON is read. */
const JSON_TYPE =
  /^application\/json\s*(?:;(?!\s*charset)[^;]*)*(?:;\s*charset\s*=\s*"?utf-?8"?\s*(?:;[^;]*)*)?$/i;

/**
 * Reads a request's body: then `body` and `text` of the call are set.
 * @param accepted null accepts every content type
 * @throws HttpRefusal 501 for a transfer coding other than chunked, 415 for another content type, 413 over
 * 1 MiB, 400 for a body that is cut short.
 */
export async function readBytes(call: Call, accepted: RegExp | null = JSON_TYPE): Promise<void> {
  const coding = readHeader(call, "transfer-encoding") ?? "chunked";
  if (coding.toLowerCase() !== "chunked") throw new HttpRefusal(501, CODED);
  const type = readHeader(call, "content-type");
  if (accepted?.test(type ?? "") === false) throw new HttpRefusal(415, wrongType(type));
  const encoding = readHeader(call, "content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") throw new HttpRefusal(415, ENCODED);
  const announced = Number(readHeader(call, "content-length") ?? 0);
  if (announced <= MAX_BODY_BYTES) call.body = await call.receiveBody();
  if (!call.body || call.body.length > MAX_BODY_BYTES) throw new HttpRefusal(413, TOO_LARGE);
  call.text = call.body.toString();
}

/**
 * The members of a JSON body that was read.
 * @param fields what is wrong with the headers
 * @throws HttpRefusal 400 for a body that is not a JSON object.
 */
export function parseMembers({ body, text }: Call, fields: readonly FieldError[] = []): Members {
  const refusal = (why: Message): HttpRefusal => new HttpRefusal(400, why, { fields });
  if (body === undefined || text === undefined || body.length === 0) throw refusal(EMPTY);
  if (!isUtf8(body)) throw refusal(NOT_UTF8);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal(
      text.startsWith("\uFEFF") ? BYTE_ORDER_MARK : say`The body is not JSON: ${jsonError(text)}.`,
    );
  }
  if (isTooDeep(value)) throw refusal(TOO_DEEP);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refusal(NOT_AN_OBJECT);
  return value as Members;
}

/** Reads the members of a JSON body; none if it is optional and the client sends none. */
export async function readMembers(call: Call, isOptional: boolean): Promise<Members> {
  const { "transfer-encoding": coding, "content-length": length = 0 } = call.headers;
  if (isOptional && coding === undefined && Number(length) === 0) return {};
  await readBytes(call);
  return parseMembers(call);
}

/** Reads the members of a page's form; undefined if they do not match the schema. */
export async function readForm<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  await readBytes(call, null);
  return schema.safeParse(Object.fromEntries(new URLSearchParams(call.text))).data;
}

function wrongType(sent: string | null): Message {
  return sent === null
    ? say`The content type must be ${JSON_IN_UTF8}, but none came.`
    : say`The content type must be ${JSON_IN_UTF8}, not ${JSON.stringify(sent.slice(0, 100))}.`;
}

const JSON_IN_UTF8 = say`application/json, in UTF-8`;
const TOO_LARGE = say`The body is larger than 1 MiB.`;
const CODED = say`Only the chunked transfer coding is supported. Send the body uncompressed.`;
const ENCODED = say`The body must not be compressed: send it without content-encoding.`;
const EMPTY = say`The body is empty; send a JSON object.`;
const NOT_UTF8 = say`The body is not well-formed UTF-8.`;
const BYTE_ORDER_MARK = say`The body begins with a byte order mark (U+FEFF), which JSON does not allow; save or send it as UTF-8 without one.`;
const TOO_DEEP = say`The body is nested more than ${MAX_JSON_LEVELS} levels deep.`;
const NOT_AN_OBJECT = say`The body must be a JSON object.`;

/** The rule of each member, in words; a function if it depends on other members. */
export type Rules = Readonly<Record<string, Message | ((body: Members) => Message)>>;

/** Returns the draft of a valid body for the core; adds an entry to `fields` for each member that is wrong. */
export type BodyReader<Draft> = (members: Members, fields: FieldError[]) => Draft | undefined;

/** Creates a reader that validates a body with a schema. */
export function createReader<Schema extends z.ZodType>(
  schema: Schema,
  rules: Rules,
): BodyReader<z.output<Schema>> {
  // Compiled at its first use, so that a start does not wait for it.
  let compiled: ReturnType<typeof z.compile<Schema>> | undefined;
  return (members, fields) => {
    compiled ??= z.compile(schema);
    const result = compiled.safeParse(members);
    if (result.success) return result.data;
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
    const unknown = say`${field} is not a parameter of this path, or its value is invalid.`;
    return { field, code: "INVALID_VALUE", message: ruleOf(field, sent, rules) ?? unknown };
  };
  throw invalidFields(namesIn(result.error.issues).map(toError));
}
