/**
 * The time that `POST /_sandbox/clock/advance` takes over payins that expire, each at its own time, with a webhook
 * URL that refuses connections, on a state file. Each payin has five events, one after another: its expiry and four
 * attempts.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { formatCount } from "./figures.js";
import { startServing } from "./servers.js";

const EVENTS_OF_ONE = 5;
const ROUNDS = 3;
const MAX_SECONDS = 5;
/** The discard port: nothing listens there. */
const DEAD_URL = "http://127.0.0.1:9/webhook";

/** @returns {Promise<import("./figures.js").Figure[]>} */
export async function measureDeadReceiver() {
  return [
    { ...(await measure(1000)), target: { atMost: MAX_SECONDS } },
    // For information: what else costs time with many.
    await measure(5000),
  ];
}

/** @param {number} payins */
async function measure(payins) {
  /** @type {number[]} */
  const seconds = [];
  for (let round = 0; round < ROUNDS; round++) seconds.push(await measureOnce(payins));
  const events = EVENTS_OF_ONE * payins;
  const median = seconds.toSorted((one, other) => one - other)[ROUNDS >> 1];
  return {
    name: `advancing over ${formatCount(events)} events that fail, seconds`,
    ratios: seconds,
    absolute: `${formatCount(events / median)} events/s`,
  };
}

/** @param {number} payins */
async function measureOnce(payins) {
  const folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-bench-"));
  const state = path.join(folder, "state.json");
  const assumption = "payin.expiry_event=webhook";
  const { port, stop } = await startServing("--state", state, "--assume", assumption);
  try {
    for (let number = 0; number < payins; number++) await create(port, number);
    const startedAt = performance.now();
    await post(port, "/_sandbox/clock/advance", { seconds: 3600 });
    return (performance.now() - startedAt) / 1000;
  } finally {
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {number} port @param {number} number */
async function create(port, number) {
  await post(
    port,
    "/v1/payins",
    {
      value: 10.5,
      buyer_cpf: "52998224725",
      buyer_name: "Maria da Silva",
      buyer_email: "maria@example.com",
      webhook_url: DEAD_URL,
      expiration: 300,
    },
    `payin-${number}`,
  );
}

/** @param {number} port @param {string} route @param {object} body */
async function post(port, route, body, key = "") {
  const response = await fetch(`http://127.0.0.1:${port}${route}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key !== "" && {
        "x-api-token": "bench",
        "x-provider-id": "4182",
        "x-provider": "Loja Exemplo",
        "x-country-code": "BR",
        "x-idempotency-key": key,
      }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
}
