/** The requested part of a list. */
export interface PageRequest {
  readonly limit: number;
  /** `asc`, the default, is the order of creation; `desc` is newest first. */
  readonly order?: "asc" | "desc" | undefined;
  /** The key of the row after which the page starts, in the requested order. */
  readonly after?: string | undefined;
  /** The key of the row before which the page ends, in the requested order. Has no effect beside `after`. */
  readonly before?: string | undefined;
  /** Only rows whose key begins with this text. */
  readonly prefix?: string | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The `after` of the next page, or the `before` if the page was requested with `before`; null at the end. */
  readonly next: string | null;
  /** The number of rows of the whole list, if it is known without reading them. */
  readonly total?: number | undefined;
}

/** Rows at consecutive places, some of which may be empty. */
export interface Places<Row> {
  readonly first: number;
  readonly last: number;
  /** The row at a place; undefined for an empty place. */
  at(place: number): Row | undefined;
  /** Undefined if no row has the key. */
  placeOf(key: string): number | undefined;
  keyOf(row: Row): string;
}

/**
 * Reads up to `limit` rows that `isWanted` accepts, and stops at the first one beyond the page.
 * @returns undefined if no row has the requested key.
 */
export function readPage<Row>(
  list: Places<Row>,
  { limit, order = "asc", after, before, prefix = "" }: PageRequest,
  isWanted: (row: Row) => boolean,
): Page<Row> | undefined {
  const key = after ?? before;
  const isBackwards = after === undefined && before !== undefined;
  const step = (order === "asc") === isBackwards ? -1 : 1;
  let place = step > 0 ? list.first : list.last;
  if (key !== undefined) {
    const start = list.placeOf(key);
    if (start === undefined) return undefined;
    place = start + step;
  }
  const rows: Row[] = [];
  const toPage = (next: Row | undefined): Page<Row> => ({
    rows: isBackwards ? rows.toReversed() : rows,
    next: next === undefined ? null : list.keyOf(next),
  });
  for (; place >= list.first && place <= list.last; place += step) {
    const row = list.at(place);
    if (row === undefined || !list.keyOf(row).startsWith(prefix) || !isWanted(row)) continue;
    if (rows.length === limit) return toPage(rows.at(-1));
    rows.push(row);
  }
  return toPage(undefined);
}
