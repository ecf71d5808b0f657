/**
 * A figure is a ratio measured several times over, because a shared machine is as noisy as the
 * differences that matter; the middle one counts, the extremes say how far to trust it.
 */

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {number[]} ratios one a round
 * @property {{ atLeast: number } | { atMost: number }} [target] none: only for information
 * @property {string} absolute what the ratio was made of
 */

const NAME_WIDTH = 54;
const RATIO_WIDTH = 24;
const TARGET_WIDTH = 10;
const VERDICT_WIDTH = 9;

/** @param {number[]} numbers at least one */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A round number with its thousands apart: 27,310. @param {number} number */
export function formatCount(number) {
  return Math.round(number).toLocaleString("en-US");
}

export function formatHeading() {
  return formatColumns("", "ratio (min to max)", "target", "", "median of each");
}

/** @param {Figure} figure */
export function formatFigure({ name, ratios, target, absolute }) {
  const ratio = median(ratios);
  const range = `${formatRatio(Math.min(...ratios))} to ${formatRatio(Math.max(...ratios))}`;
  const [goal, verdict] = judge(ratio, target);
  return formatColumns(name, `${formatRatio(ratio)} (${range})`, goal, verdict, absolute);
}

/**
 * @param {number} ratio
 * @param {Figure["target"]} target
 */
function judge(ratio, target) {
  if (target === undefined) return ["", ""];
  if ("atLeast" in target) {
    return [`>= ${target.atLeast}`, ratio >= target.atLeast ? "reached" : "missed"];
  }
  return [`<= ${target.atMost}`, ratio <= target.atMost ? "reached" : "missed"];
}

/** Three digits at least, whatever the size: 0.93, 1.27, 47.2. @param {number} ratio */
function formatRatio(ratio) {
  return ratio.toFixed(ratio < 10 ? 2 : 1);
}

/**
 * @param {string} name
 * @param {string} ratio
 * @param {string} target
 * @param {string} verdict
 * @param {string} absolute
 */
function formatColumns(name, ratio, target, verdict, absolute) {
  return [
    name.padEnd(NAME_WIDTH),
    ratio.padEnd(RATIO_WIDTH),
    target.padEnd(TARGET_WIDTH),
    verdict.padEnd(VERDICT_WIDTH),
    absolute,
  ].join("");
}
