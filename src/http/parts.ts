/** How long a part is at least, unless it is the last, in UTF-16 code units. */
const PART_LENGTH = 256 * 1024;

/**
 * Joins the next of some texts to a part that is written at once; undefined if none are left. Joined as a
 * whole they might take a lot of memory, and no text can hold more than 512 MB.
 */
export function nextPart(texts: Iterator<string>): string | undefined {
  let part = "";
  while (part.length < PART_LENGTH) {
    const { done, value } = texts.next();
    if (done) break;
    part += value;
  }
  return part === "" ? undefined : part;
}
