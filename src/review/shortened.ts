/** How much of a text from outside evidence has. */
const MAX_CHARACTERS = 120;

/** A text from outside, such as a key or an address, cut for evidence. The rest of it is not held in memory. */
export function shortened(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  // A slice would hold the whole text.
  return `${Array.from(text.slice(0, MAX_CHARACTERS)).join("")}…`;
}
