import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { closeRecord, place } from "./navigation.ts";

/** What the keys do in a list. */
export interface ListKeys {
  /** Moves the focus by so many rows. */
  readonly move: (rows: number) => void;
  /** Returns the focus to the row that had it. */
  readonly focus: () => void;
}

/** What a letter does with a record, such as `p` that pays. */
export type RecordKeys = Readonly<Record<string, () => void>>;

/** The list on the page. */
export const listKeys: { current: ListKeys | undefined } = { current: undefined };
/** The keys of the record that is open, else of the focused row as it is when a key is pressed. */
export const recordKeys: {
  open: RecordKeys | undefined;
  row: (() => RecordKeys | undefined) | undefined;
} = { open: undefined, row: undefined };
/** Whether the next list that is drawn gets the focus. */
export const focusWanted = { current: false };
/** Whether the list of keys is shown. */
export const isHelpOpen = signal(false);
/** Whether the palette is shown: everything that the page can find and do, by name. */
export const isPaletteOpen = signal(false);

/** Sets the keys of the open record while it is on the page. */
export function useRecordKeys(keys: RecordKeys): void {
  useEffect(() => {
    recordKeys.open = keys;
    return () => {
      recordKeys.open = undefined;
    };
  });
}

export function useKeys(): void {
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** The keys that move the focus. */
const MOVES: ReadonlySet<string> = new Set(["j", "k"]);

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  // A dialog and a panel have their own keys.
  if (document.querySelector("dialog[open], :popover-open")) return;
  if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) {
    event.preventDefault();
    isPaletteOpen.value = true;
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  if (event.key === "Escape") return escape(target);
  if (target.matches("input, select, textarea")) return;
  const handle = handlerOf(event.key);
  // A key that is held down moves on, but does nothing twice.
  if (!handle || (event.repeat && !MOVES.has(event.key))) return;
  event.preventDefault();
  handle();
}

function handlerOf(key: string): (() => void) | undefined {
  if (key === "j") return () => listKeys.current?.move(1);
  if (key === "k") return () => listKeys.current?.move(-1);
  if (key === "/") return () => document.querySelector<HTMLElement>("#search")?.focus();
  if (key === "?") return () => (isHelpOpen.value = true);
  const keys = recordKeys.open ?? recordKeys.row?.();
  return keys && Object.hasOwn(keys, key) ? keys[key] : undefined;
}

/** Leaves a field; else closes the open record. Either way the focus returns to its row. */
function escape(target: HTMLElement): void {
  if (target.matches("input, select, textarea")) {
    target.blur();
    listKeys.current?.focus();
  } else closeAndFocus();
}

/** Closes the open record, and returns the focus to its row. The list may be that of another pane, which is drawn next. */
export function closeAndFocus(): void {
  if (place.value.id === undefined) return listKeys.current?.focus();
  focusWanted.current = true;
  closeRecord();
}
