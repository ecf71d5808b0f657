/**
 * What receivers that never respond cost the others: the time until 950 receivers have their webhooks beside fifty
 * silent ones, against the same without webhooks to the silent ones. All webhooks become due at once, those
 * of the silent receivers first, which is the worst case. Each turn starts a new sandbox and new receivers.
 */
import { fileURLToPath } from "node:url";
import { HOST, chargeBody } from "./charge.js";
import { compareTimes } from "./compare.js";
import { measureInTurns } from "./rounds.js";
import { call, kill, readLine, startProcess, startSandbox } from "./servers.js";

const RECEIVERS = 1_000;
const SILENT = 50;
const RESPONDING = RECEIVERS - SILENT;
const AT_ONCE = 32;
const EXPIRATION_SECONDS = 3_600;
const RECEIVER = fileURLToPath(new URL("../e2e/verifying-merchant.js", import.meta.url));
const ASSUMPTIONS = ["payin.expiry_event=webhook", "webhook.timeout_seconds=3600"];

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureStarvation({ short }) {
  const { alone, few, many } = await measureInTurns(short ? 1 : 5, {
    alone: () => measureArrivals(0),
    few: () => measureArrivals(SILENT),
    many: () => measureArrivals(SILENT * 20),
  });
  return [
    toFigure("950 webhooks beside 50 without a response / alone", few, alone),
    toFigure("950 webhooks beside 1,000 without a response / alone", many, alone),
  ];
}

/**
 * The time until the responding receivers have one webhook each.
 * @param {number} toSilent webhooks to the silent receivers
 */
async function measureArrivals(toSilent) {
  const assume = ASSUMPTIONS.flatMap((assumption) => ["--assume", assumption]);
  const { port, stop } = await startSandbox(["--memory", "--clock", "frozen", ...assume]);
  const { secret } = await call(port, "/_sandbox/secret");
  const receivers = startProcess(
    [RECEIVER, `--secret=${secret}`, `--ports=${RECEIVERS}`, `--silent=${SILENT}`],
    false,
  );
  /** @type {{ ports: number[] }} */
  const { ports } = JSON.parse(await readLine(receivers));
  const url = (/** @type {number} */ index) =>
    index < toSilent
      ? `http://${HOST}:${ports[index % SILENT]}/orders/${index}`
      : `http://${HOST}:${ports[SILENT + index - toSilent]}/hook`;
  await repeat(toSilent + RESPONDING, (index) =>
    call(
      port,
      "/v1/payins",
      chargeBody({ webhookUrl: url(index), expiration: EXPIRATION_SECONDS }),
    ),
  );

  const disconnect = new AbortController();
  const { signal } = disconnect;
  const startedAt = performance.now();
  const advanced = call(
    port,
    "/_sandbox/clock/advance",
    { seconds: EXPIRATION_SECONDS },
    { signal },
  );
  advanced.catch(() => undefined); // It waits for the silent receivers too.
  const { refused } = await call(ports[SILENT], `/report?count=${RESPONDING}`);
  const elapsedMs = performance.now() - startedAt;

  disconnect.abort();
  await kill(receivers);
  await stop();
  if (refused.length > 0) throw new Error(`A webhook was refused: ${refused[0]}`);
  return { elapsedMs };
}

/**
 * Calls a function so many times, some of the calls at once.
 * @param {number} count
 * @param {(index: number) => Promise<unknown>} act
 */
async function repeat(count, act) {
  let next = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (next < count) await act(next++);
  });
  await Promise.all(workers);
}

/**
 * @param {string} name
 * @param {import("./compare.js").Time[]} beside
 * @param {import("./compare.js").Time[]} alone
 */
function toFigure(name, beside, alone) {
  return { name, target: { atMost: 2 }, ...compareTimes(beside, alone) };
}
