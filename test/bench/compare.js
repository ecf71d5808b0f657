/** Compares what was measured on two sides, round by round. */
import { divide, formatCount, median } from "./figures.js";

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
export function formatMedian(times) {
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
