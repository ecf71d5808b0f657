/** The time from a simulation's response to its webhook, against a request to a bare server. */
import path from "node:path";
import { createFolder } from "./cleanup.js";
import { compareTimes, formatMedian } from "./compare.js";
import { measureInTurns } from "./rounds.js";
import { ask, startBareServer, startDurable, startWorker } from "./servers.js";

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureLatency({ short }) {
  const stateFile = path.join(await createFolder(), "state.json");
  const [sandbox, bare] = await Promise.all([startDurable(stateFile), startBareServer()]);
  const worker = startWorker("webhook-latency.js");
  const order = { sandboxPort: sandbox.port, barePort: bare.port, count: short ? 50 : 300 };
  /** @type {{ latencies: import("./processes/webhook-latency.js").Latencies[] }} */
  const { latencies } = await measureInTurns(short ? 2 : 7, {
    latencies: () => ask(worker, order),
  });
  worker.disconnect();
  await Promise.all([sandbox.stop(), bare.stop()]);

  const times = (/** @type {"webhook" | "bare"} */ key) =>
    latencies.map((one) => ({ elapsedMs: one[key] }));
  const { ratios, absolute } = compareTimes(times("webhook"), times("bare"));
  const simulation = formatMedian(latencies.map((one) => one.simulation));
  return [
    {
      name: "from a simulation's response to its webhook / bare request",
      target: { atMost: 3 },
      ratios,
      absolute: `${absolute}, the simulation ${simulation}`,
    },
  ];
}
