/** The order of all measurements. */

/**
 * Measures each side once a round, in turns, so that other load on the machine affects all sides. Every
 * second round runs in reverse order. The first round warms up and is not returned.
 * @template {Record<string, () => Promise<any>>} Sides
 * @param {number} rounds
 * @param {Sides} sides
 * @returns {Promise<{ [Side in keyof Sides]: Awaited<ReturnType<Sides[Side]>>[] }>}
 */
export async function measureInTurns(rounds, sides) {
  const names = Object.keys(sides);
  /** @type {Record<string, any[]>} */
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await sides[name]();
      if (round > 0) results[name].push(result);
    }
  }
  return /** @type {any} */ (results);
}
