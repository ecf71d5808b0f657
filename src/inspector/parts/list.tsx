import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { focusWanted, listKeys, type RecordKeys, recordKeys } from "../state/keys.ts";
import { t } from "../state/language.ts";
import { place } from "../state/navigation.ts";
import { toFragment } from "../state/place.ts";
import type { Rows } from "../state/rows.ts";
import { isNarrow } from "../state/viewport.ts";
import { type Message, say } from "../../text/message.ts";

export interface ListProps<Row> {
  /** The list's name for screen readers. */
  readonly label: string;
  readonly rows: Rows<Row>;
  /** Which rows to show; default: all. A new function means another filter. */
  readonly isShown?: ((row: Row) => boolean) | undefined;
  /** What a row shows. It depends on the row and on signals alone: it is drawn again only if one of them changes. */
  readonly View: FunctionComponent<{ readonly row: Row }>;
  readonly idOf: (row: Row) => string;
  /** The record that a row opens; default: the one with the row's id, in this pane. */
  readonly linkOf?: (row: Row) => string;
  /** The keys of the focused row. */
  readonly keysOf?: (row: Row) => RecordKeys;
  /** So many rows, with their noun. */
  readonly counted: (count: number) => Message;
  /** Shown in place of an empty list. */
  readonly empty: ComponentChildren;
  /** Loads older rows, when the user has scrolled almost to the end. */
  readonly onEnd?: () => Promise<void>;
}

/** The heights of a row, in pixels: on a phone, fingers need more. */
const ROW_PX = { wide: 44, narrow: 52 };
/** For how long a row that has changed is marked. */
const MARKED_MS = 2000;
/** Rows above and below the visible ones, so that fast scrolling shows no gap. */
const MARGIN = 10;
/** Older rows are loaded when the user is so many rows away from the end. */
const LOAD_BEFORE_END = 200;

/** The row that had the focus last, by list: Escape returns to it. */
const lastFocused = new Map<string, string>();

/** A table of any number of rows, newest first; only the visible ones are in the document. */
export function List<Row extends object>(props: ListProps<Row>) {
  const { label, rows, idOf, empty, onEnd, counted } = props;
  const version = rows.version.value;
  const viewport = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const rowHeight = isNarrow.value ? ROW_PX.narrow : ROW_PX.wide;

  const isShown = useMemo(() => props.isShown && remember(props.isShown), [props.isShown]);
  // Without a filter no list is built: there can be thousands of rows and changes in each frame.
  const filtered = useMemo(
    () => (isShown ? [...rows].filter(isShown) : undefined),
    [rows, isShown, version],
  );
  // A handler that runs before the next drawing asks for the rows of now.
  const countNow = (): number => (filtered ? filtered.length : rows.size);
  const count = countNow();
  const at = (index: number): Row | undefined => (filtered ? filtered[index] : rows.at(index));

  useLayoutEffect(() => {
    const element = viewport.current;
    // A list that was empty begins at its top.
    setTop(element?.scrollTop ?? 0);
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
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
    const row = at(Math.min(Math.max(index, 0), countNow() - 1));
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
    for (let index = 0; index < countNow(); index++) {
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
  const visible = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  return (
    <div class="list" style={{ "--row": `${rowHeight}px` }}>
      <p class="count">
        <span data-testid="count">{countText(count, filtered !== undefined, rows, counted)}</span>
        <span>{t(say`newest first`)}</span>
      </p>
      <div
        class="viewport"
        ref={viewport}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: `${count * rowHeight}px` }} class="spacer">
          <div
            role="list"
            aria-label={label}
            style={{ transform: `translateY(${first * rowHeight}px)` }}
            class="rows"
          >
            {visible.map((index) => {
              const row = at(index);
              if (row === undefined) return null;
              const id = idOf(row);
              return (
                <Item key={id} row={row} id={id} position={index + 1} count={count} list={props} />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** A row. Like any component that reads signals, it is drawn again only if they or its properties change. */
function Item<Row extends object>(props: {
  readonly row: Row;
  readonly id: string;
  readonly position: number;
  readonly count: number;
  readonly list: ListProps<Row>;
}) {
  const { row, id, position, count, list } = props;
  const { View } = list;
  const isOpen = place.value.id === id;
  const isMarked = useMark(list.rows.changedAtMs(id));
  return (
    <div
      role="listitem"
      aria-posinset={position}
      aria-setsize={count}
      class={`row ${isOpen ? "open" : isMarked ? "changed" : ""}`}
      data-testid="row"
    >
      <a
        href={list.linkOf?.(row) ?? toFragment({ ...place.value, id })}
        class="row-link"
        aria-current={isOpen}
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
        <View row={row} />
      </a>
    </div>
  );
}

/** Whether something has changed a moment ago. */
function useMark(changedAtMs: number): boolean {
  const [, redraw] = useState(0);
  const leftMs = changedAtMs + MARKED_MS - performance.now();
  useEffect(() => {
    if (leftMs <= 0) return undefined;
    const timer = setTimeout(() => redraw((count) => count + 1), leftMs + 1);
    return () => clearTimeout(timer);
  }, [changedAtMs]);
  return leftMs > 0;
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

function countText<Row>(
  count: number,
  isFiltered: boolean,
  rows: Rows<Row>,
  counted: (count: number) => Message,
): string {
  const total = rows.total.value;
  const loaded = rows.size;
  if (!isFiltered) return t(counted(total));
  return loaded < total
    ? t(say`${count} found in the newest ${loaded} of ${counted(total)}`)
    : t(say`${count} of ${counted(total)}`);
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
