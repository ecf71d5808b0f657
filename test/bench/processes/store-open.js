/**
 * A process that opens a state once, or parses the lines of its files, and prints the time that this took.
 *
 *     node test/bench/processes/store-open.js BUNDLE open FILE
 *     node test/bench/processes/store-open.js BUNDLE parse FILE...
 */
import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";

const PIECE_BYTES = 16 << 20;
const LINE_FEED = 0x0a;
const HEADER = '{"format":';

const [bundle, work, ...files] = process.argv.slice(2);
const { openStateFile } = await import(pathToFileURL(bundle).href);
const times = work === "open" ? await measureOpening(files[0]) : await measureParsing();
// Not closed: that would merge the journal into the file, and the next process opens the same state.
process.stdout.write(`${JSON.stringify(times)}\n`, () => process.exit());

/** @param {string} file */
async function measureOpening(file) {
  const end = beginMeasuring();
  await openStateFile(file);
  return end();
}

/** Splits the lines before the clock starts, one piece of the file at a time: not all fit in memory. */
async function measureParsing() {
  const sum = { elapsedMs: 0, cpuMs: 0 };
  for (const file of files) {
    let rest = Buffer.alloc(0);
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
      const bytes = Buffer.concat([rest, piece]);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      rest = bytes.subarray(end);
      const lines = recordsAmong(bytes.subarray(0, end));
      const endMeasuring = beginMeasuring();
      for (const line of lines) JSON.parse(line);
      const { elapsedMs, cpuMs } = endMeasuring();
      sum.elapsedMs += elapsedMs;
      sum.cpuMs += cpuMs;
    }
  }
  return sum;
}

/** The CPU time is that of all threads. @returns {() => { elapsedMs: number, cpuMs: number }} */
function beginMeasuring() {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { elapsedMs: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
  };
}

/**
 * The JSON of each line that is a record or an entry of the journal. A state file has few other lines.
 * @param {Buffer} bytes
 */
function recordsAmong(bytes) {
  const lines = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = bytes.toString("utf8", start, end);
    start = end + 1;
    if (line.startsWith(HEADER)) continue; // its list follows it, so it is not JSON by itself
    if (line.endsWith("},")) lines.push(line.slice(0, -1));
    else if (line.startsWith("{") && line.endsWith("}")) lines.push(line);
  }
  return lines;
}
