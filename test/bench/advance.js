/**
 * The time that `POST /_sandbox/clock/advance` takes over payins that expire, each at its own time, with a
 * webhook URL that refuses connections and a state file. Each payin has five events, one after another: its
 * expiry and four attempts.
 */
import path from "node:path";
import { chargeBody } from "./charge.js";
import { createFolder } from "./cleanup.js";
import { formatCount, median } from "./figures.js";
import { measureInTurns } from "./rounds.js";
import { call, startSandbox } from "./servers.js";

const EVENTS_OF_PAYIN = 5;
const EXPIRATION_SECONDS = 300;
const ADVANCE_SECONDS = 3_600;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureAdvance({ short }) {
  const rounds = short ? 1 : 3;
  const { few, many } = await measureInTurns(rounds, {
    few: () => measureOnce(1_000),
    many: () => measureOnce(5_000),
  });
  return [
    { ...toFigure(1_000, few), target: { atMost: 5 } },
    // Shows what else costs time with many payins.
    toFigure(5_000, many),
  ];
}

/** Seconds. @param {number} payins */
async function measureOnce(payins) {
  const stateFile = path.join(await createFolder(), "state.json");
  const options = ["--state", stateFile, "--assume", "payin.expiry_event=webhook"];
  const { port, stop } = await startSandbox(options);
  const body = chargeBody({ expiration: EXPIRATION_SECONDS });
  for (let created = 0; created < payins; created++) await call(port, "/v1/payins", body);
  const startedAt = performance.now();
  await call(port, "/_sandbox/clock/advance", { seconds: ADVANCE_SECONDS });
  const seconds = (performance.now() - startedAt) / 1_000;
  await stop();
  return seconds;
}

/** @param {number} payins @param {number[]} seconds */
function toFigure(payins, seconds) {
  const events = EVENTS_OF_PAYIN * payins;
  return {
    name: `advance over ${formatCount(events)} events that fail, seconds`,
    ratios: seconds,
    absolute: `${formatCount(events / median(seconds))} events/s`,
  };
}
