/** The same text for equal JSON values; undefined for a text that is not JSON. */
export function canonicalJson(text: string | undefined): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text ?? ""), (_name, value: unknown) => sorted(value));
  } catch {
    return undefined;
  }
}

/** An object with its members in the order of their names; anything else as it is. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
