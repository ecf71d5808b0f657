/** The order of all measurements, what is compared, and how it is printed. */

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

/**
 * One turn of a side. The CPU time is that of the main thread if not stated otherwise, and missing on systems
 * that do not report it.
 * @typedef {{ elapsedMs: number, cpuMs?: number }} Time
 * @typedef {{ perSecond: number, cpuMs?: number }} Rate `cpuMs`: for one request
 */

/**
 * Times: a smaller ratio is better.
 * @param {Time[]} ours
 * @param {Time[]} others
 */
export function compareTimes(ours, others) {
  const [elapsed, otherElapsed] = [ours, others].map((all) => all.map((one) => one.elapsedMs));
  return {
    ratios: divide(elapsed, otherElapsed),
    absolute: `${formatMedian(elapsed)} / ${formatMedian(otherElapsed)}`,
    ...compareCpu(ours, others, divide),
  };
}

/**
 * Rates: a greater ratio is better, also by CPU time.
 * @param {Rate[]} ours
 * @param {Rate[]} others
 */
export function compareRates(ours, others) {
  const [rates, otherRates] = [ours, others].map((all) => all.map((one) => one.perSecond));
  return {
    ratios: divide(rates, otherRates),
    absolute: `${formatCount(median(rates))}/s / ${formatCount(median(otherRates))}/s`,
    ...compareCpu(ours, others, (times, otherTimes) => divide(otherTimes, times)),
  };
}

/** The median of times in milliseconds, in a unit that fits. @param {number[]} times */
function formatMedian(times) {
  const middle = median(times);
  if (middle < 1) return `${(middle * 1_000).toFixed(1)} µs`;
  if (middle < 10) return `${middle.toFixed(2)} ms`;
  return middle < 1_000 ? `${Math.round(middle)} ms` : `${(middle / 1_000).toFixed(2)} s`;
}

/**
 * @param {{ cpuMs?: number }[]} ours
 * @param {{ cpuMs?: number }[]} others
 * @param {(ours: number[], others: number[]) => number[]} toRatios
 */
function compareCpu(ours, others, toRatios) {
  const [times, otherTimes] = [ours, others].map((all) => all.map((one) => one.cpuMs));
  if (times.includes(undefined) || otherTimes.includes(undefined)) return {};
  const absolute = `CPU ${formatMedian(times)} / ${formatMedian(otherTimes)}`;
  return { cpu: { ratios: toRatios(times, otherTimes), absolute } };
}

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
