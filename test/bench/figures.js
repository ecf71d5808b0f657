/** Figures, and how they are printed. */

/**
 * A ratio that was measured once a round. The median counts; the range shows how noisy the machine was.
 * @typedef {object} Figure
 * @property {string} name
 * @property {number[]} ratios one for each round
 * @property {{ atLeast: number } | { atMost: number }} [target] none: for information
 * @property {string} absolute the medians that the ratio was made of
 * @property {Comparison} [cpu] the same comparison by the CPU time of the main threads
 * @property {boolean} [isGeneratorBusy] the load generator limited the rates, so the lower ratio counts
 */

/** @typedef {{ ratios: number[], absolute: string }} Comparison */

const COLUMNS = ["", "target", "ratio (range)", "by CPU (range)", "", "medians"];
const WIDTHS = [58, 9, 24, 24, 9, 0];

/** @param {number[]} numbers at least one */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Divides round by round. @param {number[]} ours @param {number[]} others */
export function divide(ours, others) {
  return ours.map((value, round) => value / others[round]);
}

/** A rounded number with thousands separators: 27,310. @param {number} number */
export function formatCount(number) {
  return Math.round(number).toLocaleString("en-US");
}

export function formatHeading() {
  return toLine(COLUMNS);
}

/** @param {Figure} figure */
export function formatFigure(figure) {
  return toLine(toCells(figure));
}

/** @param {Figure[]} figures */
export function formatMarkdown(figures) {
  const rows = [COLUMNS, COLUMNS.map(() => "---"), ...figures.map(toCells)];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/**
 * Whether the target is reached: `undefined` without a target.
 * @param {Figure} figure
 */
export function isReached({ ratios, target, cpu, isGeneratorBusy }) {
  if (target === undefined) return undefined;
  const ratio = median(ratios);
  if ("atMost" in target) return ratio <= target.atMost;
  return (isGeneratorBusy && cpu ? Math.min(ratio, median(cpu.ratios)) : ratio) >= target.atLeast;
}

/** @param {Figure} figure */
function toCells(figure) {
  const { name, ratios, target, absolute, cpu, isGeneratorBusy } = figure;
  const reached = isReached(figure);
  const medians = [absolute, cpu?.absolute, isGeneratorBusy && "the generator was busy"];
  return [
    name,
    formatTarget(target),
    formatRatios(ratios),
    cpu ? formatRatios(cpu.ratios) : "",
    reached === undefined ? "" : reached ? "reached" : "missed",
    medians.filter(Boolean).join("; "),
  ];
}

/** @param {Figure["target"]} target */
function formatTarget(target) {
  if (target === undefined) return "";
  return "atLeast" in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
}

/** @param {number[]} ratios */
function formatRatios(ratios) {
  const range = `${formatRatio(Math.min(...ratios))} to ${formatRatio(Math.max(...ratios))}`;
  return `${formatRatio(median(ratios))} (${range})`;
}

/** With three significant digits at least: 0.93, 1.27, 47.2. @param {number} ratio */
function formatRatio(ratio) {
  return ratio.toFixed(ratio < 10 ? 2 : 1);
}

/** @param {string[]} cells */
function toLine(cells) {
  return cells
    .map((cell, index) => cell.padEnd(WIDTHS[index]))
    .join(" ")
    .trimEnd();
}
