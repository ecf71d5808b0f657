/** How many levels a request's JSON may have. */
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
