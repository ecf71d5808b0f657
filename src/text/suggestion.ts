/** The candidate that a misspelled word probably means, if one is close enough. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= maxDistance(word, candidate))
    .toSorted((one, other) => one.distance - other.distance);
  return ranked[0]?.candidate;
}

/** Of a word with up to five letters one may differ, of a long one three; or the last three are missing. */
function maxDistance(word: string, candidate: string): number {
  if (word.length >= 3 && candidate.startsWith(word)) return 3;
  return Math.min(3, Math.max(1, Math.floor(Math.min(word.length, candidate.length) / 3)));
}

/** How many letters must be inserted, removed, replaced or swapped with the next. */
function distanceOf(one: string, other: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + cost,
          isSwap ? (beforePrevious[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[other.length] ?? 0;
}
