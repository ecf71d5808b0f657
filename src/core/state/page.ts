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

/** What {@link readPage} reads. */
interface List<Row> {
  readonly keyOf: (row: Row) => string;
  /** The rows in the order of creation; undefined for an empty place. */
  readonly rows: readonly (Row | undefined)[];
  /** The place of a key. Default: searched for. */
  readonly placeOf?: (key: string) => number | undefined;
  /** Whether a row belongs to the list at all. Default: all rows. */
  readonly isOwn?: (row: Row) => boolean;
  /** Whether a row of the list is wanted; undefined if the list is not filtered. */
  readonly isWanted?: ((row: Row) => boolean) | undefined;
}

/**
 * Reads up to `limit` rows, and stops at the first one beyond the page.
 * @returns undefined if no row of the list has the requested key.
 */
export function readPage<Row>(
  { rows, keyOf, isOwn = () => true, isWanted, placeOf }: List<Row>,
  { limit, order = "asc", after, before, prefix = "" }: PageRequest,
): Page<Row> | undefined {
  const key = after ?? before;
  const isBackwards = after === undefined && before !== undefined;
  const step = (order === "asc") === isBackwards ? -1 : 1;
  let place = step > 0 ? 0 : rows.length - 1;
  if (key !== undefined) {
    place = placeOf
      ? (placeOf(key) ?? -1)
      : rows.findIndex((row) => row !== undefined && keyOf(row) === key);
    const start = rows[place];
    if (start === undefined || !isOwn(start)) return undefined;
    place += step;
  }
  const found: Row[] = [];
  let next: string | null = null;
  for (; place >= 0 && place < rows.length; place += step) {
    const row = rows[place];
    if (row === undefined || !keyOf(row).startsWith(prefix) || !isOwn(row)) continue;
    if (isWanted?.(row) === false) continue;
    if (found.length === limit) {
      next = keyOf(found.at(-1) as Row);
      break;
    }
    found.push(row);
  }
  return {
    rows: isBackwards ? found.toReversed() : found,
    next,
    total: isWanted || prefix ? undefined : rows.filter((row) => row && isOwn(row)).length,
  };
}
