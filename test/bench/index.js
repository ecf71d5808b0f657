/**
 * `npm run bench` measures the sandbox's speed as ratios to something bare, which hardly depend on the
 * machine. It prints whether each target is reached; a missed target is no error. See docs/performance.md.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { measureDelivery } from "./delivery.js";
import { formatFigure, formatHeading, formatMarkdown, isReached, median } from "./figures.js";
import { measureDurable, measurePayins } from "./requests.js";
import { measureStart } from "./start.js";

/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {{ against?: string, short: boolean }} Options `against`: the folder of another build */

/** The rows of the table in docs/performance.md, in this order. @type {Record<string, (options: Options) => Promise<Figure[]>>} */
const MEASUREMENTS = {
  payins: measurePayins,
  durable: measureDurable,
  start: measureStart,
  delivery: measureDelivery,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string" },
    short: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const unknown = positionals.find((name) => !Object.hasOwn(MEASUREMENTS, name));
if (unknown === undefined) {
  await measure(positionals.length > 0 ? positionals : Object.keys(MEASUREMENTS));
} else {
  const known = Object.keys(MEASUREMENTS).join(", ");
  process.stderr.write(`Unknown measurement "${unknown}". Use one of: ${known}.\n`);
  process.exitCode = 2;
}

/** @param {string[]} chosen */
async function measure(chosen) {
  /** @type {Figure[]} */
  const figures = [];
  if (!values.markdown) process.stdout.write(`${formatHeading()}\n`);
  for (const name of chosen) {
    process.stderr.write(`measuring ${name}\n`);
    for (const figure of await MEASUREMENTS[name](values)) {
      figures.push(figure);
      if (!values.markdown) process.stdout.write(`${formatFigure(figure)}\n`);
    }
  }
  if (values.markdown) process.stdout.write(`${formatMarkdown(figures)}\n`);
  if (values.json !== undefined) await writeFile(values.json, toJson(figures));
}

/** @param {Figure[]} figures */
function toJson(figures) {
  const rows = figures.map((figure) => ({
    ...figure,
    median: median(figure.ratios),
    isReached: isReached(figure),
  }));
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}
