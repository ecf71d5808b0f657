import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { functionsOf, mutationsOf } from "./mutations.js";

/** @typedef {import("./mutations.js").Mutation & { file: string }} Mutant */

/**
 * Draws mutants of some files; the same seed draws the same ones from the same source.
 * @param {string} root
 * @param {readonly string[]} files
 * @param {number} count
 * @param {string} seed
 * @returns {Mutant[]}
 */
export function drawMutants(root, files, count, seed) {
  const all = files.flatMap((file) =>
    mutationsOf(readFileSync(path.join(root, file), "utf8")).map((mutation) => ({
      ...mutation,
      file,
    })),
  );
  const random = numbersOf(seed);
  const drawn = [];
  while (drawn.length < count && all.length > 0)
    drawn.push(...all.splice(Math.floor(random() * all.length), 1));
  return drawn.toSorted((one, other) =>
    one.file === other.file ? one.start - other.start : one.file < other.file ? -1 : 1,
  );
}

/**
 * Returns the source of a file in which every function reports that it runs.
 * @param {string} file
 * @param {string} source
 */
export function markFunctions(file, source) {
  /** @type {[number, string][]} */
  const insertions = functionsOf(source).flatMap(({ start, body, isExpression }) => {
    const call = `globalThis.markRun?.(${JSON.stringify(markOf(file, start))})`;
    return isExpression
      ? [
          [body.start, `(${call}, `],
          [body.end, ")"],
        ]
      : [[body.start + 1, `${call};`]];
  });
  // Of two at one place, the outer function's bracket opens first and closes last.
  return insertions
    .map(([at, text], order) => ({ at, text, order: text === ")" ? -order : order }))
    .toSorted((one, other) => one.at - other.at || one.order - other.order)
    .reduceRight((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
}

/**
 * Returns the source of `test/support/process.ts` in which a test that starts a process is skipped.
 * @param {string} source
 */
export function withoutProcesses(source) {
  const beginning = /export function startProcess\([^]*?\): Program \{\n/;
  if (!beginning.test(source)) throw new Error("test/support/process.ts has no startProcess().");
  const skip = "  getCurrentTest()?.context.skip();\n";
  return `import { getCurrentTest } from "vitest/suite";\n${source.replace(beginning, `$&${skip}`)}`;
}

/**
 * @param {string} file
 * @param {number} start
 */
export function markOf(file, start) {
  return `${file}:${start}`;
}

/**
 * @param {string} root
 * @param {string} folder
 */
export function sourcesOf(root, folder) {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .toSorted();
}

/**
 * Mulberry32: fractions between 0 and 1.
 * @param {string} seed
 */
function numbersOf(seed) {
  let state = 0;
  for (const char of seed) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
