import { signal } from "@preact/signals";
import { type Place, readPlace, toFragment } from "./place.ts";

/** The place that the address names. */
export const place = signal<Place>(readPlace(location.hash));

addEventListener("hashchange", () => {
  place.value = readPlace(location.hash);
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

/** Closes the open record. */
export function closeRecord(): void {
  if (place.value.id !== undefined) go({ ...place.value, id: undefined });
}
