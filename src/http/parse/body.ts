import { isUtf8 } from "node:buffer";
import type * as z from "zod";
import { isTooDeep, jsonError, MAX_JSON_LEVELS } from "../../wire/json.ts";
import type { Call } from "../calls/call.ts";
import { readHeader } from "../calls/headers.ts";
import { HttpRefusal, unreadableBody } from "../calls/refusals.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_FORM_BYTES = 4096;

/** Other parameters than the charset do not change how JSON is read. */
const JSON_TYPE =
  /^application\/json\s*(?:;(?!\s*charset)[^;]*)*(?:;\s*charset\s*=\s*"?utf-?8"?\s*(?:;[^;]*)*)?$/i;

/**
 * The bytes of a request's JSON body.
 * @throws HttpRefusal 501 for a transfer coding other than chunked, 415 for another content type, 413 over
 * 1 MiB, 400 for a body that is cut short.
 */
export function readBytes(call: Call): Promise<Buffer> {
  return readBody(call, isJson, MAX_BYTES, say`application/json, in UTF-8`);
}

/** Whether the content type of a request is JSON. */
function isJson(type: string): boolean {
  return type === "application/json" || JSON_TYPE.test(type);
}

/**
 * The bytes of a request's body of an accepted content type.
 * @throws HttpRefusal as {@link readBytes} does; `wanted` names the accepted type.
 */
function readBody(
  call: Call,
  isAccepted: (type: string) => boolean,
  maxBytes: number,
  wanted: Message,
): Promise<Buffer> {
  const coding = readHeader(call, "transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked") {
    throw new HttpRefusal(501, "VALIDATION_ERROR", CODED);
  }
  const type = readHeader(call, "content-type");
  if (type === null || !isAccepted(type))
    throw new HttpRefusal(415, "VALIDATION_ERROR", wrongType(type, wanted));
  const encoding = readHeader(call, "content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new HttpRefusal(415, "VALIDATION_ERROR", ENCODED);
  }
  return call.readBody(maxBytes);
}

/**
 * The JSON value of a body that was read.
 * @throws HttpRefusal 400 for a body that is not JSON.
 */
export function parseJson({ body, text }: Pick<Call, "body" | "text">): unknown {
  if (body === undefined || text === undefined || body.length === 0) throw unreadableBody(EMPTY);
  if (!isUtf8(body)) throw unreadableBody(NOT_UTF8);
  const value = parse(text);
  if (isTooDeep(value)) throw unreadableBody(TOO_DEEP);
  return value;
}

export async function readJson(call: Call): Promise<unknown> {
  await readBytes(call);
  return parseJson(call);
}

/** The JSON value of an optional body; an empty object if the client sends none. */
export async function readOptionalJson(call: Call): Promise<unknown> {
  return call.hasBody ? readJson(call) : {};
}

/**
 * Reads the members of a page's form.
 * @returns undefined if they do not match the schema
 * @throws HttpRefusal 413 for a form over 4 KiB, 415 for another content type
 */
export async function readForm<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const bytes = await readBody(
    call,
    isForm,
    MAX_FORM_BYTES,
    verbatim("application/x-www-form-urlencoded"),
  );
  const members = Object.fromEntries(new URLSearchParams(bytes.toString()));
  return schema.safeParse(members).data;
}

function isForm(type: string): boolean {
  return /^application\/x-www-form-urlencoded *(?:;|$)/i.test(type);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadableBody(
      text.startsWith("\uFEFF") ? BYTE_ORDER_MARK : say`The body is not JSON: ${jsonError(text)}.`,
    );
  }
}

function wrongType(sent: string | null, wanted: Message): Message {
  return sent === null
    ? say`The content type must be ${wanted}, but none came.`
    : say`The content type must be ${wanted}, not ${JSON.stringify(sent.slice(0, 100))}.`;
}

const CODED = say`Only the chunked transfer coding is supported. Send the body uncompressed.`;
const ENCODED = say`The body must not be compressed: send it without content-encoding.`;
const EMPTY = say`The body is empty; send a JSON object.`;
const NOT_UTF8 = say`The body is not well-formed UTF-8.`;
const BYTE_ORDER_MARK = say`The body begins with a byte order mark (U+FEFF), which JSON does not allow; save or send it as UTF-8 without one.`;
const TOO_DEEP = say`The body is nested more than ${MAX_JSON_LEVELS} levels deep.`;
