import { isUtf8 } from "node:buffer";
import { describe, NO_JSON } from "./journal-line.ts";
import { describeDifference } from "./difference.ts";
import { HeaderError, inMember, toHeader } from "./header.ts";
import { LISTS, RARE_LISTS, trailerSchema } from "./schema.ts";
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
  const { counts, crc32: _ofOtherBytes, ...rest } = document as Record<string, unknown>;
  const header: Record<string, unknown> = { ...rest };
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
  if (counts === undefined) return;
  const trailer = trailerSchema.shape.counts.safeParse(counts);
  if (!trailer.success) throw new HeaderError(inMember("counts", describe(trailer.error.issues)));
  const found = lists.map(([name, rows]) => [name, Array.isArray(rows) ? rows.length : 0] as const);
  sink.changed?.(describeDifference({ counts: trailer.data }, new Map(found), OTHER_LAYOUT));
}

const EMPTY = say`it is empty`;
const NO_OBJECT = say`it is not a JSON object`;
const OTHER_LAYOUT = say`the same number of records, but a different layout`;

function noList(name: string): Message {
  return say`"${name}" is not a list`;
}
