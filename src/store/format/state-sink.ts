import { describe } from "./journal-line.ts";
import { inMember } from "./header.ts";
import { type Header, type ListName, rowCheckers } from "./schema.ts";
import type { Message } from "../../text/message.ts";

/** Receives the content of a state file while it is read. */
export interface StateSink {
  header(header: Header): void;
  rows(list: ListName, rows: readonly object[]): void;
  /** A line cannot be read. The lines after it are still read. */
  damage(line: number, reason: Message): void;
}

/** Passes on a row if it has the schema of its list. */
export function passRow(sink: StateSink, list: ListName, row: unknown, line: number): void {
  const { success, error } = rowCheckers[list](row);
  if (success) sink.rows(list, [row as object]);
  else sink.damage(line, inMember(list, describe(error.issues)));
}

/** @returns undefined if the text is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
