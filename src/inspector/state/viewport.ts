import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 640px)");

/** Whether the page is as narrow as a phone. */
export const isNarrow = signal(query.matches);
query.addEventListener("change", () => {
  isNarrow.value = query.matches;
});
