import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { focusWanted, listKeys, type RecordKeys, recordKeys } from "../state/keys.ts";
import { t } from "../state/language.ts";
import { place } from "../state/navigation.ts";
import { toFragment } from "../state/place.ts";
import type { Rows } from "../state/rows.ts";
import { isNarrow } from "../state/viewport.ts";
import { say } from "../../text/message.ts";

/** One column of a list. */
export interface Column<Row> {
  readonly title: string;
  /** As in `grid-template-columns`; its first length in rem is the column's least width. */
  readonly width: string;
  /** Depends on the row and on signals alone: a cell is drawn again only if one of them changes. */
  readonly cell: (row: Row) => ComponentChildren;
  /** Whether the list leaves it out if it does not fit. A narrow page always does. */
  readonly isExtra?: boolean;
  /** Whether a narrow page gives it a line of its own. */
  readonly isWide?: boolean;
}

export interface ListProps<Row> {
  /** The list's name for screen readers. */
  readonly label: string;
  readonly rows: Rows<Row>;
  /** Which rows to show; default: all. A new function means another filter. */
  readonly isShown?: ((row: Row) => boolean) | undefined;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** The record that a row opens; default: the one with the row's id, in this pane. */
  readonly linkOf?: (row: Row) => string;
  /** The keys of the focused row. */
  readonly keysOf?: (row: Row) => RecordKeys;
  /** Shown in place of an empty list. */
  readonly empty: ComponentChildren;
  /** Loads older rows, when the user has scrolled almost to the end. */
  readonly onEnd?: () => Promise<void>;
}

/** Rows above and below the visible ones, so that fast scrolling shows no gap. */
const MARGIN = 10;
/** Older rows are loaded when the user is so many rows away from the end. */
const LOAD_BEFORE_END = 200;

/** The row that had the focus last, by list: Escape returns to it. */
const lastFocused = new Map<string, string>();

/** A table of any number of rows, newest first; only the visible ones are in the document. */
export function List<Row extends object>(props: ListProps<Row>) {
  const { label, rows, columns, idOf, empty, onEnd } = props;
  const version = rows.version.value;
  const viewport = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [widthPx, setWidthPx] = useState(Infinity);
  const narrow = isNarrow.value;
  const rowHeight = narrow ? 58 : 34;
  const shownColumns = useMemo(
    () => (narrow ? columns.filter(({ isExtra }) => !isExtra) : fitting(columns, widthPx)),
    [narrow, columns, widthPx],
  );

  const isShown = useMemo(() => props.isShown && remember(props.isShown), [props.isShown]);
  // Without a filter no list is built: there can be thousands of rows and changes in each frame.
  const filtered = useMemo(
    () => (isShown ? [...rows].filter(isShown) : undefined),
    [rows, isShown, version],
  );
  const count = filtered ? filtered.length : rows.size;
  const at = (index: number): Row | undefined => (filtered ? filtered[index] : rows.at(index));

  useLayoutEffect(() => {
    const element = viewport.current;
    // A list that was empty begins at its top.
    setTop(element?.scrollTop ?? 0);
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      setHeight(element.clientHeight);
      setWidthPx(element.clientWidth);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [count === 0]);

  // Rows that arrive above the visible ones must not move them.
  const added = rows.added;
  const seen = useRef(added);
  useLayoutEffect(() => {
    const element = viewport.current;
    const before = seen.current;
    seen.current = added;
    if (!element || top === 0 || added <= before) return;
    const above = countShown(rows, added - before, isShown);
    if (above === 0) return;
    element.scrollTop += above * rowHeight;
    // The event that reports it comes after the next paint, which would show a gap.
    setTop(element.scrollTop);
  }, [added]);

  const first = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + MARGIN);
  const isNearEnd = last + LOAD_BEFORE_END >= count;
  const oldest = rows.oldestId;
  useEffect(() => {
    if (isNearEnd && rows.hasOlder.value) void onEnd?.().catch(() => undefined);
  }, [isNearEnd, oldest]);

  const open = place.value.id;
  const focusRow = (index: number): void => {
    const row = at(Math.min(Math.max(index, 0), count - 1));
    if (row === undefined) return;
    const id = idOf(row);
    lastFocused.set(label, id);
    scrollTo(viewport.current, index, rowHeight);
    // The row may not be in the document yet.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => linkOfRow(viewport.current, id)?.focus({ preventScroll: true })),
    );
  };
  const indexOf = (id: string | undefined): number => {
    if (id === undefined) return -1;
    for (let index = 0; index < count; index++) {
      const row = at(index);
      if (row !== undefined && idOf(row) === id) return index;
    }
    return -1;
  };

  useEffect(() => {
    const keys = {
      move: (by: number) => focusRow(indexOf(lastFocused.get(label)) + by),
      focus: () => focusRow(Math.max(0, indexOf(lastFocused.get(label) ?? open))),
    };
    listKeys.current = keys;
    if (focusWanted.current && open === undefined) {
      focusWanted.current = false;
      keys.focus();
    }
    return () => {
      if (listKeys.current === keys) listKeys.current = undefined;
    };
  });

  // The keys of a row must not work in another pane.
  useEffect(
    () => () => {
      recordKeys.row = undefined;
    },
    [],
  );

  if (count === 0) return <div class="empty">{empty}</div>;
  const template = { "--columns": shownColumns.map(({ width }) => width).join(" ") };
  const visible = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  return (
    <div class="list" role="table" aria-label={label} aria-rowcount={count + 1} style={template}>
      <div role="rowgroup" class="list-head">
        <div role="row" class="row" aria-rowindex={1}>
          {shownColumns.map(({ title }) => (
            <span key={title} role="columnheader">
              {title}
            </span>
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        class="viewport"
        ref={viewport}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div
          role="presentation"
          style={{ height: `${count * rowHeight}px` }}
          class="spacer"
          onClick={openClicked}
        >
          <div
            role="presentation"
            style={{ transform: `translateY(${first * rowHeight}px)` }}
            class="rows"
          >
            {visible.map((index) => {
              const row = at(index);
              if (row === undefined) return null;
              const id = idOf(row);
              return (
                <div
                  key={id}
                  role="row"
                  class={id === open ? "row open" : "row"}
                  aria-rowindex={index + 2}
                  aria-selected={id === open ? true : undefined}
                  data-testid="row"
                >
                  <Cells row={row} id={id} columns={shownColumns} list={props} />
                </div>
              );
            })}
          </div>
        </div>
      </div>
      <p class="count">{countText(count, filtered !== undefined, rows)}</p>
    </div>
  );
}

/** The cells of a row. Like any component that reads signals, it is drawn again only if they or its properties change. */
function Cells<Row extends object>(props: {
  readonly row: Row;
  readonly id: string;
  readonly columns: readonly Column<Row>[];
  readonly list: ListProps<Row>;
}) {
  const { row, id, columns, list } = props;
  const here = place.value;
  const link = list.linkOf?.(row) ?? toFragment({ ...here, id });
  return (
    <>
      {columns.map(({ title, cell, isWide }, column) => (
        <span key={title} role="cell" class={isWide ? "wide" : undefined}>
          {column === 0 ? (
            <a
              href={link}
              class="row-link"
              data-id={id}
              onFocus={() => {
                lastFocused.set(list.label, id);
                recordKeys.row = () => {
                  const current = list.rows.get(id);
                  return current && list.keysOf?.(current);
                };
              }}
              onBlur={() => (recordKeys.row = undefined)}
            >
              {cell(row)}
            </a>
          ) : (
            cell(row)
          )}
        </span>
      ))}
    </>
  );
}

/** A click anywhere in a row opens its record. */
function openClicked({ target }: Event): void {
  const element = target as HTMLElement;
  if (element.closest("a, button")) return;
  element.closest(".row")?.querySelector<HTMLElement>("a.row-link")?.click();
}

/** Runs a filter once for each row: a changed row is another object. */
function remember<Row extends object>(isShown: (row: Row) => boolean): (row: Row) => boolean {
  const results = new WeakMap<Row, boolean>();
  return (row) => {
    const known = results.get(row);
    if (known !== undefined) return known;
    const result = isShown(row);
    results.set(row, result);
    return result;
  };
}

/** The columns for which there is room: of those that can be left out, the last one gives way first. */
function fitting<Row>(columns: readonly Column<Row>[], widthPx: number): readonly Column<Row>[] {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const least = columns.reduce((sum, { width }) => sum + leastWidth(width) + GAP_REM, PADDING_REM);
  const extra = columns.findLastIndex(({ isExtra }) => isExtra);
  return least * rem <= widthPx || extra === -1
    ? columns
    : fitting(columns.toSpliced(extra, 1), widthPx);
}

/** As in style.css. */
const GAP_REM = 0.8;
const PADDING_REM = 1.2;

function leastWidth(width: string): number {
  return Number(/([\d.]+)rem/.exec(width)?.[1] ?? 0);
}

function countText<Row>(count: number, isFiltered: boolean, rows: Rows<Row>): string {
  const total = rows.total.value;
  const loaded = rows.size;
  if (isFiltered)
    return loaded < total
      ? t(say`${count} found in the newest ${loaded} of ${total}`)
      : t(say`${count} of ${total}`);
  return String(total);
}

/** How many of the newest rows are shown. */
function countShown<Row>(
  rows: Rows<Row>,
  newest: number,
  isShown: ((row: Row) => boolean) | undefined,
): number {
  if (!isShown) return Math.min(newest, rows.size);
  let count = 0;
  for (let index = 0; index < Math.min(newest, rows.size); index++) {
    const row = rows.at(index);
    if (row !== undefined && isShown(row)) count++;
  }
  return count;
}

function scrollTo(element: HTMLElement | null, index: number, rowHeight: number): void {
  if (!element) return;
  const top = index * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowHeight > element.scrollTop + element.clientHeight)
    element.scrollTop = top + rowHeight - element.clientHeight;
}

function linkOfRow(element: HTMLElement | null, id: string): HTMLElement | null | undefined {
  return element?.querySelector<HTMLElement>(`a.row-link[data-id="${CSS.escape(id)}"]`);
}
