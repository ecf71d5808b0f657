/** A JSON object with the wire's snake_case names. */
export type WireObject = Readonly<Record<string, unknown>>;

export const MAX_JSON_LEVELS = 32;

/**
 * Whether a JSON value is nested more deeply than `levels`. Without recursion: JSON of 10 kB can be nested 5,000
 * levels deep, for which recursive code has no stack.
 */
export function isTooDeep(value: unknown, levels: number = MAX_JSON_LEVELS): boolean {
  let level: Iterable<object> = isContainer(value) ? [value] : [];
  for (let depth = 1; ; depth++) {
    // A set: an object that refers to itself stays one object a level. Most values are flat and need none.
    let next: Set<object> | undefined;
    for (const container of level) {
      for (const name in container) {
        const member: unknown = container[name as keyof object];
        if (isContainer(member)) (next ??= new Set()).add(member);
      }
    }
    if (!next) return false;
    if (depth >= levels) return true;
    level = next;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether two JSON texts have the same value. The order of members does not matter. */
export function isSameJson(one: string, other: string): boolean {
  return one === other || toCanonicalText(JSON.parse(one)) === toCanonicalText(JSON.parse(other));
}

/** A JSON value as text that does not depend on the order of members. */
export function toCanonicalText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toCanonicalText).join(",")}]`;
  const members = value as Record<string, unknown>;
  const names = Object.keys(members).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${toCanonicalText(members[name])}`).join(",")}}`;
}
