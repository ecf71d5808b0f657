import { LocalizedError } from "../../core/records/errors.ts";
import { describe } from "./journal-line.ts";
import { FORMAT, type Header, headerSchema, VERSION } from "./schema.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

/** The file is not a state file that this version of pix-sandbox reads. */
export class HeaderError extends LocalizedError {
  override readonly name = "HeaderError";
}

/** The file does not have one record per line. */
export class UnknownLayout extends Error {
  override readonly name = "UnknownLayout";
}

/** @throws HeaderError if the value is not a header of this version. */
export function toHeader(value: object): Header {
  const { success, data, error } = headerSchema.safeParse(value);
  if (success) return data;
  const { format, version } = value as { readonly format?: unknown; readonly version?: unknown };
  if (format !== FORMAT) throw new HeaderError(OTHER_FORMAT);
  if (version !== VERSION) throw new HeaderError(OTHER_VERSION);
  const problem = describe(error.issues);
  throw new HeaderError(verbatim(problem));
}

/** A problem in one member of the file. The schema's own messages are in English only. */
export function inMember(name: string, problem: string): Message {
  return say`in "${name}", ${problem}`;
}

const OTHER_FORMAT = say`its "format" is not "${FORMAT}"`;
const OTHER_VERSION = say`its "version" is not ${VERSION}`;
