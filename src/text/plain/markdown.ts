import { toSafeLine } from "./safe-text.ts";

/** Text from outside must not become markup. */
export function text(given: string): string {
  return toSafeLine(given.replace(/\s+/g, " ")).replace(
    /[\\`*_[\]<>&|#~@]/g,
    (character) => `\\${character}`,
  );
}

/** A code span whose fence is longer than any in the text. */
export function code(given: string): string {
  const line = toSafeLine(given.replace(/\s+/g, " "));
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}
