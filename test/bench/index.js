/**
 * `npm run bench`: the sandbox's speed as ratios to something bare, which are the same on a slow machine
 * and on a fast one. A missed target is printed and fails nothing: a benchmark is no test.
 *
 *     npm run bench              payins, qr and start, about a minute
 *     npm run bench -- payins    one of them, or several
 *     npm run bench -- payins --against ../before
 *                                the same on another checkout's build, in place of the bare server
 *     npm run bench -- double    a few seconds
 *     npm run bench -- webhooks  two minutes
 *     npm run bench -- time      a minute and a half, 3 GB of memory
 *     npm run bench -- advance   a minute
 *     npm run bench -- inspector seven minutes; with --short two and a half
 *     npm run bench -- store     some seven minutes, 4 GB of memory and as much in the temporary folder
 */
import { parseArgs } from "node:util";
import { measureDeadReceiver } from "./dead-receiver.js";
import { measureDouble } from "./double.js";
import { measureExpirations } from "./expirations.js";
import { formatFigure, formatHeading } from "./figures.js";
import { measureInspector } from "./inspector.js";
import { measurePayins } from "./payins.js";
import { measureQr } from "./qr.js";
import { startBareServer, startH3Server, startOtherBuild, startSandbox } from "./servers.js";
import { measureStart } from "./start.js";
import { measureStore } from "./store.js";
import { measureStarvation } from "./webhook-starvation.js";
import { measureWebhooks } from "./webhooks.js";

const {
  positionals: names,
  values: { against, short },
} = parseArgs({
  allowPositionals: true,
  options: { against: { type: "string" }, short: { type: "boolean", default: false } },
});

const CREATION_OF_BARE = {
  name: "creating a payin / a bare server's answer",
  target: { atLeast: 0.8 },
};
const CREATION_OF_OTHER = {
  name: "creating a payin / the same on the other build",
  target: { atLeast: 1 },
};

/** @type {Record<string, () => Promise<import("./figures.js").Figure[]>>} */
const MEASUREMENTS = {
  payins: () =>
    against === undefined
      ? measurePayins(CREATION_OF_BARE, startSandbox, startBareServer)
      : measurePayins(CREATION_OF_OTHER, startSandbox, () => startOtherBuild(against)),
  qr: () => measureQr(startSandbox),
  start: () => measureStart(startSandbox, startBareServer, startH3Server),
  double: () => measureDouble(),
  webhooks: async () => [...(await measureWebhooks()), ...(await measureStarvation())],
  time: () => measureExpirations(),
  advance: () => measureDeadReceiver(),
  inspector: () => measureInspector({ minutes: short ? 1 : 5 }),
  store: () => measureStore(),
};
const QUICK = ["payins", "qr", "start"];

const unknown = names.find((name) => !Object.hasOwn(MEASUREMENTS, name));
if (unknown === undefined) {
  await measure(names.length > 0 ? names : QUICK);
} else {
  const known = Object.keys(MEASUREMENTS).join(", ");
  process.stderr.write(`There is no measurement ${unknown}, only ${known}.\n`);
  process.exitCode = 2;
}

/** @param {string[]} chosen */
async function measure(chosen) {
  process.stdout.write(`${formatHeading()}\n`);
  for (const name of chosen) {
    for (const figure of await MEASUREMENTS[name]()) {
      process.stdout.write(`${formatFigure(figure)}\n`);
    }
  }
}
