/** What a trace of a suite of 200 tests weighs, and what it costs: the CPU time of `exec` with and without it. */
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { divide, measureInTurns, median } from "./figures.js";
import { createFolder, endedChildrenCpuMs, programOf } from "./servers.js";

const SUITE = fileURLToPath(new URL("./processes/suite.js", import.meta.url));
const MEGABYTE = 1_000_000;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureTrace({ short }) {
  const folder = await createFolder();
  const file = path.join(folder, "trace.html");
  const runs = await measureInTurns(short ? 2 : 9, {
    traced: () => cpuMsOf(["--trace", file]),
    plain: () => cpuMsOf([]),
  });
  const { size } = await stat(file);
  const ms = (/** @type {number[]} */ all) => `${Math.round(median(all))} ms`;
  return [
    {
      name: "size of the trace of 200 tests, in MB",
      target: { atMost: 1.5 },
      ratios: [size / MEGABYTE],
      absolute: `${Math.round(size / 1000)} kB`,
    },
    {
      name: "CPU of exec with 200 tests, with a trace / without",
      target: { atMost: 1.05 },
      ratios: divide(runs.traced, runs.plain),
      absolute: `CPU ${ms(runs.traced)} / ${ms(runs.plain)}`,
    },
  ];
}

/** The CPU time of `exec` and the suite that it runs. @param {string[]} options */
async function cpuMsOf(options) {
  const before = endedChildrenCpuMs() ?? Number.NaN;
  const command = ["--", process.execPath, "--test", SUITE];
  await promisify(execFile)(process.execPath, [programOf(), "exec", ...options, ...command]);
  return (endedChildrenCpuMs() ?? Number.NaN) - before;
}
