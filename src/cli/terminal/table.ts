import type { ChalkInstance } from "chalk";
import stringWidth from "string-width";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { localize } from "./language.ts";
import { toRelativeTime } from "./times.ts";
import type { Message } from "../../text/message.ts";

/** A kind of table: its columns, the most important first, and the text if it has no rows. */
export interface Table<Row> {
  readonly none: Message;
  readonly columns: readonly Column<Row>[];
}

export interface Column<Row> {
  readonly title: string | Message;
  readonly text: (row: Row, look: Look) => string;
  /** Whether the cells are ids: a terminal shows the beginning of each. */
  readonly isId?: boolean;
  /** The least width to which cells can be cut. Default: they are never cut. */
  readonly least?: number;
  /** Whether a long text continues on the next line instead of being cut. A long word does only in the last column. */
  readonly wraps?: boolean;
  /** Whether a cell reports a failure. */
  readonly isFailure?: (row: Row) => boolean;
}

export interface Look {
  /** The width of the terminal; undefined if the output is no terminal. */
  readonly columns?: number | undefined;
  /** The sandbox's time; undefined for times in ISO 8601. */
  readonly nowMs?: number | undefined;
  readonly color: ChalkInstance;
}

/**
 * Renders rows under titles. If they are wider than the terminal, the longest texts are cut with `…` first. If that is
 * not enough, columns are dropped from the right.
 */
export function renderTable<Row>(
  { none, columns }: Table<Row>,
  rows: readonly Row[],
  look: Look,
): string {
  if (rows.length === 0) return localize(none);
  const cells = columns.map((column) => cellsOf(column, rows, look));
  const widths = fit(columns, cells, look.columns ?? PIPED_WIDTH);
  const toLines = (texts: readonly string[], paint: Paint): string[] => {
    const parts = widths.map((width, index) => {
      const text = texts[index] ?? "";
      const lines = columns[index]?.wraps ? foldWords(text, width) : [text];
      // Nothing stands right of a long word in the last column.
      const isFree = columns[index]?.wraps && index === widths.length - 1;
      return isFree ? lines : lines.map((line) => cutToWidth(line, width));
    });
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      parts
        .map((part, index) => {
          const text = part[line] ?? "";
          const isLast = index === parts.length - 1;
          return paint(isLast ? text : pad(text, widths[index] ?? 0), index);
        })
        .join("  ")
        .trimEnd(),
    );
  };
  const titles = toLines(
    cells.map(([title = ""]) => title),
    (text) => text,
  ).map((line) => look.color.dim(line));
  const lines = rows.flatMap((row, place) =>
    toLines(
      cells.map((column) => column[place + 1] ?? ""),
      (text, index) => (columns[index]?.isFailure?.(row) ? look.color.red(text) : text),
    ),
  );
  return [...titles, ...lines].join("\n");
}

type Paint = (text: string, column: number) => string;

/** The maximum width of a table that is not printed on a terminal. */
const PIPED_WIDTH = 240;

function cellsOf<Row>(
  { title, text, isId = false }: Column<Row>,
  rows: readonly Row[],
  look: Look,
): string[] {
  const texts = rows.map((row) => toSafeLine(text(row, look)));
  return [
    typeof title === "string" ? title : localize(title),
    ...(isId && look.columns !== undefined ? shortIds(texts) : texts),
  ];
}

/** The widths of the columns that fit, from the left on. */
function fit(
  columns: readonly Column<never>[],
  cells: readonly (readonly string[])[],
  width: number,
): number[] {
  const natural = cells.map((texts) => Math.max(...texts.map(widthOf)));
  const least = natural.map((one, index) => Math.min(one, columns[index]?.least ?? one));
  for (let count = columns.length; ; count--) {
    const widths = natural.slice(0, count);
    let excess = widths.reduce((sum, one) => sum + one + 2, -2) - width;
    for (; excess > 0; excess--) {
      const free = widths.map((one, index) => (one > (least[index] ?? 0) ? one : 0));
      const longest = Math.max(...free);
      if (longest === 0) break;
      widths[free.lastIndexOf(longest)] = longest - 1;
    }
    if (excess <= 0 || count === 1) return widths;
  }
}

/** The beginnings of ids: at least 8 characters after a prefix such as `evt_`, and as many as tell them apart. */
function shortIds(ids: readonly string[]): string[] {
  const distinct = new Set(ids);
  const longest = Math.max(...ids.map(({ length }) => length));
  for (let size = 8; size < longest; size++) {
    if (new Set([...distinct].map((id) => shortId(id, size))).size === distinct.size)
      return ids.map((id) => shortId(id, size));
  }
  return [...ids];
}

/** The beginning of an id, which commands accept instead of the whole id. */
export function shortId(id: string, size = 8): string {
  return id.slice(0, (/^[a-z]+_/.exec(id)?.[0].length ?? 0) + size);
}

/** A time of a table: relative to the sandbox's now on a terminal, else in ISO 8601. */
export function toTableTime(time: string, { nowMs }: Look): string {
  return nowMs === undefined ? time : toRelativeTime(Date.parse(time), nowMs);
}

/** Breaks a text into lines between its words. A word that is longer than a line has its own. */
export function foldWords(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(line) + 1 + widthOf(word) <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Breaks the lines of a text so that a terminal need not. Their continuations are indented. */
export function foldText(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split("\n")
    .map((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      const lines = foldWords(line.slice(indent.length), columns - indent.length - 2);
      return `${indent}${lines.join(`\n${indent}  `)}`;
    })
    .join("\n");
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Cuts a text between the characters that a reader sees, which can have several code points. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = "";
  let left = width - 1;
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, MAX_MEASURED))) {
    left -= stringWidth(segment);
    if (left < 0) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** The columns of a text on a terminal. A very long text is not measured to its end. */
function widthOf(text: string): number {
  // Loading what is known of every other character takes a fifth of a short command.
  if (NARROW.test(text)) return text.length;
  return text.length > MAX_MEASURED ? MAX_MEASURED : stringWidth(text);
}

const MAX_MEASURED = 2000;
/** Letters with and without accents, digits and signs. */
const NARROW = /^[ -~\u00c0-\u00ff]{0,2000}$/;
