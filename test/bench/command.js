/** The time of a command that calls a running sandbox, against a Node.js process that does nothing. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { HOST, chargeBody } from "./charge.js";
import { compareTimes } from "./compare.js";
import { endedChildrenCpuMs } from "./cpu.js";
import { measureInTurns } from "./rounds.js";
import { call, programOf, startSandbox } from "./servers.js";

const PAYINS = 10;
/** Runs in each turn: CPU time is reported in steps of 10 ms. */
const RUNS = 5;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureCommand({ against, short }) {
  const sandbox = await startSandbox(["--memory"]);
  for (let made = 0; made < PAYINS; made++) await call(sandbox.port, "/v1/payins", chargeBody());
  const list = ["payin", "list", "--url", `http://${HOST}:${sandbox.port}`];
  const other = against ? [programOf(against), ...list] : ["-e", "0"];
  const results = await measureInTurns(short ? 3 : 11, {
    ours: () => measureRuns([programOf(), ...list]),
    other: () => measureRuns(other),
  });
  await sandbox.stop();
  return [
    {
      name: `payin list / ${against ? "the other build" : "node -e 0"}`,
      target: { atMost: against ? 1 : 1.3 },
      ...compareTimes(results.ours, results.other),
    },
  ];
}

/**
 * One run. The CPU time is that of all threads.
 * @param {string[]} args of node
 * @returns {Promise<import("./compare.js").Time>}
 */
async function measureRuns(args) {
  const startedAt = performance.now();
  const startCpuMs = endedChildrenCpuMs();
  for (let run = 0; run < RUNS; run++) await promisify(execFile)(process.execPath, args);
  const elapsedMs = (performance.now() - startedAt) / RUNS;
  const cpuMs = endedChildrenCpuMs();
  return { elapsedMs, ...(cpuMs !== undefined && { cpuMs: (cpuMs - startCpuMs) / RUNS }) };
}
