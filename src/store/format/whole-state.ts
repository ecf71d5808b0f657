import { isUtf8 } from "node:buffer";
import { NO_JSON } from "./journal-line.ts";
import { HeaderError, toHeader } from "./header.ts";
import { LISTS, RARE_LISTS } from "./schema.ts";
import { parse, passRow, type StateSink } from "./state-sink.ts";
import { type Message, say } from "../../text/message.ts";

/**
 * Reads a state file with another layout, such as one that a formatter has written.
 * @throws HeaderError if it is not a state of this version.
 */
export function readWholeState(bytes: Buffer, sink: StateSink): void {
  if (bytes.length === 0) throw new HeaderError(EMPTY);
  const document = isUtf8(bytes) ? parse(bytes.toString()) : undefined;
  if (document === undefined) throw new HeaderError(NO_JSON);
  if (typeof document !== "object" || document === null) throw new HeaderError(NO_OBJECT);
  // Earlier versions wrote both; they are ignored.
  const { counts: _counts, crc32: _crc32, ...header } = document as Record<string, unknown>;
  const lists = LISTS.map((name) => {
    const rows = header[name];
    delete header[name];
    return [name, rows] as const;
  });
  sink.header(toHeader(header));
  for (const [name, rows] of lists) {
    if (rows === undefined && RARE_LISTS.has(name)) continue;
    if (!Array.isArray(rows)) throw new HeaderError(noList(name));
    for (const row of rows) passRow(sink, name, row, 1);
  }
}

const EMPTY = say`it is empty`;
const NO_OBJECT = say`it is not a JSON object`;

function noList(name: string): Message {
  return say`"${name}" is not a list`;
}
