/**
 * A process that opens a state once, or parses the lines of its files, and prints how many
 * milliseconds that took.
 *
 *     node test/bench/store-open.js BUNDLE open FILE
 *     node test/bench/store-open.js BUNDLE parse FILE...
 */
import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";

const PIECE_BYTES = 16 << 20;
const LINE_FEED = 0x0a;
const HEADER = '{"format":';

const [bundle, work, ...files] = process.argv.slice(2);
const { openStateFile } = await import(pathToFileURL(bundle).href);
const elapsedMs = work === "open" ? await timeOpening(files[0]) : await timeParsing();
// Not closed: that would take what the journal holds into the file, and the next one opens the same.
process.stdout.write(`${elapsedMs}\n`, () => process.exit());

/** @param {string} file */
async function timeOpening(file) {
  const startedAt = performance.now();
  await openStateFile(file);
  return performance.now() - startedAt;
}

/** Lines are split before the clock starts, a piece of the file at a time: all of them might not fit. */
async function timeParsing() {
  let sumMs = 0;
  for (const file of files) {
    let rest = Buffer.alloc(0);
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
      const bytes = Buffer.concat([rest, piece]);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      rest = bytes.subarray(end);
      const lines = recordsAmong(bytes.subarray(0, end));
      const startedAt = performance.now();
      for (const line of lines) JSON.parse(line);
      sumMs += performance.now() - startedAt;
    }
  }
  return sumMs;
}

/**
 * The JSON of each line that is a record, or an entry of the journal; what else a state file
 * consists of is a handful of lines.
 * @param {Buffer} bytes
 */
function recordsAmong(bytes) {
  const lines = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = bytes.toString("utf8", start, end);
    start = end + 1;
    if (line.startsWith(HEADER)) continue; // with its list behind it, it is no JSON by itself
    if (line.endsWith("},")) lines.push(line.slice(0, -1));
    else if (line.startsWith("{") && line.endsWith("}")) lines.push(line);
  }
  return lines;
}
