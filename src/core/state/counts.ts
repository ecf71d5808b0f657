/** Adds to the count of a key. A count of 0 is dropped, so that the map does not grow. */
export function count<Key>(counts: Map<Key, number>, key: Key, difference: number): void {
  const total = (counts.get(key) ?? 0) + difference;
  if (total > 0) counts.set(key, total);
  else counts.delete(key);
}
