import { signal } from "@preact/signals";

/** Whether the page has room for one of list and record only, as on a phone. */
export const isNarrow = watch("(max-width: 719px)");
/** Whether the header has no room for the names of all panes. */
export const isCompact = watch("(max-width: 1179px)");

function watch(media: string) {
  const query = matchMedia(media);
  const matches = signal(query.matches);
  query.addEventListener("change", () => {
    matches.value = query.matches;
  });
  return matches;
}
