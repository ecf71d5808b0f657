import { isUtf8 } from "node:buffer";
import type * as z from "zod";
import { isTooDeep, jsonError, MAX_JSON_LEVELS } from "../../wire/json.ts";
import { type Call, MAX_BODY_BYTES } from "../calls/call.ts";
import { readHeader } from "../calls/headers.ts";
import { bodyTooLarge, HttpRefusal, unreadableBody } from "../calls/refusals.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

/** Other parameters than the charset do not change how JSON is read. */
const JSON_TYPE =
  /^application\/json\s*(?:;(?!\s*charset)[^;]*)*(?:;\s*charset\s*=\s*"?utf-?8"?\s*(?:;[^;]*)*)?$/i;

/**
 * Reads a request's JSON body: then `body` and `text` of the call are set.
 * @throws HttpRefusal 501 for a transfer coding other than chunked, 415 for another content type, 413 over
 * 1 MiB, 400 for a body that is cut short.
 */
export function readBytes(call: Call): Promise<void> {
  return readBody(call, isJson, say`application/json, in UTF-8`);
}

/** Whether the content type of a request is JSON. */
function isJson(type: string): boolean {
  return type === "application/json" || JSON_TYPE.test(type);
}

/** Reads a body of an accepted content type, as {@link readBytes} does; `wanted` names the type. */
async function readBody(
  call: Call,
  isAccepted: (type: string) => boolean,
  wanted: Message,
): Promise<void> {
  const coding = readHeader(call, "transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked")
    throw new HttpRefusal(501, "VALIDATION_ERROR", CODED);
  const type = readHeader(call, "content-type");
  if (type === null || !isAccepted(type))
    throw new HttpRefusal(415, "VALIDATION_ERROR", wrongType(type, wanted));
  const encoding = readHeader(call, "content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity")
    throw new HttpRefusal(415, "VALIDATION_ERROR", ENCODED);
  if (Number(readHeader(call, "content-length") ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge();
  const bytes = await call.receiveBody();
  if (bytes.length > MAX_BODY_BYTES) throw bodyTooLarge();
  call.body = bytes;
  call.text = bytes.toString();
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
 * @throws HttpRefusal as {@link readBytes} does
 */
export async function readForm<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  await readBody(call, isForm, verbatim("application/x-www-form-urlencoded"));
  const members = Object.fromEntries(new URLSearchParams(call.text));
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
