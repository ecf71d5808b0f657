/** A state in PostgreSQL: its throughput against a state file, and how fast a new process starts. */
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { formatCount } from "./figures.js";
import { compareUnderLoad, sendRequests } from "./requests.js";
import {
  atExit,
  call,
  createFolder,
  kill,
  startDurable,
  startSandbox,
  untilAtRest,
} from "./servers.js";

/** @typedef {import("./index.js").Options} Options */
/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./servers.js").RunningServer} RunningServer */

const LOAD = { connections: 32, tokens: 200 };
const MANY = 1_000_000;
const SHORT = 50_000;
const REQUESTS_AT_ONCE = 100_000;
const SAMPLE_MS = 50;

/**
 * Payins a second of a leader, against a sandbox with a state file.
 * @param {Options} options
 * @returns {Promise<Figure[]>}
 */
export async function measureShared({ short }) {
  const postgres = await startPostgres();
  const stateFile = path.join(await createFolder(), "state.json");
  const [ours, other] = await Promise.all([
    startMember(postgres.url(await postgres.createDatabase())),
    startDurable(stateFile),
  ]);
  const [rounds, requests] = short ? [3, 5_000] : [7, 20_000];
  const comparison = await compareUnderLoad({
    ours: { server: ours, load: LOAD },
    // Both compact when they are idle.
    other: { server: other, load: LOAD, rest: () => untilAtRest(stateFile) },
    rounds,
    requests,
  });
  await Promise.all([ours.stop(), other.stop()]);
  await postgres[Symbol.asyncDispose]();
  return [
    { name: "create a payin, in PostgreSQL / in a file", target: { atLeast: 0.7 }, ...comparison },
  ];
}

/**
 * With a million payins: how long a new process takes until it leads.
 * @param {Options} options
 * @returns {Promise<Figure[]>} in seconds
 */
export async function measureFollowing({ short }) {
  const postgres = await startPostgres();
  const url = postgres.url(await postgres.createDatabase());
  const leader = await startMember(url);
  const payins = short ? SHORT : MANY;
  for (let sent = 0; sent < payins; sent += REQUESTS_AT_ONCE)
    await sendRequests(leader, Math.min(REQUESTS_AT_ONCE, payins - sent), LOAD);
  await kill(leader.child);

  const aloneAt = performance.now();
  const alone = await startMember(url);
  await untilReady(alone);
  const readyAfter = (performance.now() - aloneAt) / 1_000;
  const { data } = await call(alone.port, "/_sandbox/payins?limit=1", undefined, {
    headers: { "x-api-token": "bench001" },
  });
  if (data.length !== 1) throw new Error("The new leader has no payins.");
  await kill(alone.child);
  await postgres[Symbol.asyncDispose]();
  const size = `${formatCount(payins)} payins`;
  return [
    {
      name: `seconds until a new process leads after all have died, ${size}`,
      target: { atMost: 20 },
      ratios: [readyAfter],
      absolute: "",
    },
  ];
}

/** @param {RunningServer} server */
async function untilReady({ port }) {
  while (!(await fetch(`http://127.0.0.1:${port}/_sandbox/ready`)).ok) await delay(SAMPLE_MS / 10);
}

/** Starts a process of a team. @param {string} url of its database */
function startMember(url) {
  return startSandbox(["--state", url]);
}

/** A PostgreSQL as the tests start it. @returns {Promise<import("../support/postgres.ts").Postgres>} */
async function startPostgres() {
  const outfile = path.join(await createFolder(), "postgres.mjs");
  const entry = fileURLToPath(new URL("../support/postgres.ts", import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm" });
  await stop();
  const { startPostgres: start } = await import(outfile);
  const postgres = await start();
  atExit(() => void postgres.stop("immediate"));
  return postgres;
}
