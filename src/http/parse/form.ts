import type * as z from "zod";
import type { Call } from "../calls/call.ts";
import { readBody } from "./body.ts";
import { say } from "../../text/message.ts";

const MAX_BYTES = 4096;

/**
 * Reads the members of a page's form.
 * @returns undefined if they do not match the schema
 * @throws HttpRefusal 413 for a form over 4 KiB, 415 for another content type
 */
export async function readForm<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const bytes = await readBody(call, isForm, MAX_BYTES, WRONG_TYPE);
  const members = Object.fromEntries(new URLSearchParams(bytes.toString()));
  return schema.safeParse(members).data;
}

function isForm(type: string): boolean {
  return /^application\/x-www-form-urlencoded *(?:;|$)/i.test(type);
}

const WRONG_TYPE = say`The content type must be application/x-www-form-urlencoded.`;
