import { signal } from "@preact/signals";
import { type Place, readPlace, toFragment } from "./place.ts";

/** The place that the address names. */
export const place = signal<Place>(readPlace(location.hash));

/** Where the open record was opened from, if that is another pane. */
let openedFrom: Place | undefined;

addEventListener("hashchange", () => {
  const next = readPlace(location.hash);
  if (next.id === undefined) openedFrom = undefined;
  else if (next.pane !== place.value.pane) openedFrom = place.value;
  place.value = next;
});

/** Opens a place; Back returns to the one before. */
export function go(next: Place): void {
  location.hash = toFragment(next);
}

/** Changes the filters of the current place, without an entry in the browser's history. */
export function filter(change: Pick<Place, "status" | "q">): void {
  const next = { ...place.value, ...change };
  history.replaceState(null, "", toFragment(next));
  place.value = next;
}

/** Closes the open record, and returns to the pane that it was opened from. */
export function closeRecord(): void {
  if (place.value.id !== undefined) go(openedFrom ?? { ...place.value, id: undefined });
}
