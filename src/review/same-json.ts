import { toCanonicalText } from "../core/operations/repeat.ts";

/** The same text for equal JSON values; undefined for a text that is not JSON. */
export function canonicalJson(text: string | undefined): string | undefined {
  try {
    return toCanonicalText(JSON.parse(text ?? ""));
  } catch {
    return undefined;
  }
}
