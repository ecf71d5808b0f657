/** The minimum length of a part, unless it is the last, in UTF-16 code units. */
const PART_LENGTH = 256 * 1024;

/**
 * Joins the next texts to a part that is written at once; undefined if none are left. All texts as one could
 * take a lot of memory, and a string holds at most 512 MB.
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
