/**
 * What a QR image costs. The sandbox draws its own, since the library's drawing takes far longer
 * than all the rest of a payin; both draw the same code in turns. Payins that carry an image are
 * created over HTTP beside it, to see the drawing at work.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, stop as stopEsbuild } from "esbuild";
import QRCode from "qrcode";
import { formatCount, median } from "./figures.js";
import { load } from "./payins.js";

const SOURCE = fileURLToPath(new URL("../../src/http/answers/qr-image.ts", import.meta.url));
const ROUNDS = 7;
const ROUND_MS = 300;
const PAYINS_A_ROUND = 3_000;
const CODE =
  "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/7d9f0c2b4a6e48f1b3c5d7e9f0a1b2c3" +
  "5204000053039865802BR5912LOJA EXEMPLO6009SAO PAULO62070503***6304DE3B";

/**
 * @param {() => Promise<import("./servers.js").RunningServer>} startSandbox
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureQr(startSandbox) {
  const renderQrPng = await importRenderQrPng();
  const sandbox = await startSandbox();

  /** @type {number[]} */
  const ownRounds = [];
  /** @type {number[]} */
  const libraryRounds = [];
  /** @type {number[]} */
  const payinRounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    ownRounds.push(await countASecond(() => renderQrPng(CODE).toString("base64")));
    libraryRounds.push(await countASecond(() => QRCode.toDataURL(CODE)));
    payinRounds.push((await load(sandbox.port, PAYINS_A_ROUND, "--qr")).per_second);
  }
  await sandbox.stop();
  for (const rounds of [ownRounds, libraryRounds, payinRounds]) rounds.shift(); // the warm-up

  return [
    {
      name: "drawing a QR image / QRCode.toDataURL",
      ratios: ownRounds.map((own, round) => own / libraryRounds[round]),
      target: { atLeast: 8 },
      absolute: `${describe(ownRounds)} / ${describe(libraryRounds)}`,
    },
    {
      name: "creating a payin with its image / QRCode.toDataURL",
      ratios: payinRounds.map((payins, round) => payins / libraryRounds[round]),
      absolute: `${describe(payinRounds)} / ${describe(libraryRounds)}`,
    },
  ];
}

/**
 * Bundled from the source, which is no entry of the package and which Node cannot import as it is.
 * @returns {Promise<(text: string) => Buffer>}
 */
async function importRenderQrPng() {
  const folder = await mkdtemp(join(tmpdir(), "pix-sandbox-bench-"));
  try {
    const outfile = join(folder, "qr-image.cjs"); // CommonJS, as the library inside it is
    await build({ entryPoints: [SOURCE], outfile, bundle: true, platform: "node", format: "cjs" });
    return (await import(pathToFileURL(outfile).href)).renderQrPng;
  } finally {
    await stopEsbuild(); // its process would run on beside what is measured
    await rm(folder, { recursive: true });
  }
}

/** @param {() => unknown} draw */
async function countASecond(draw) {
  const startedAt = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < ROUND_MS) {
    await draw();
    count++;
    elapsedMs = performance.now() - startedAt;
  }
  return (count / elapsedMs) * 1_000;
}

/** @param {number[]} rounds */
function describe(rounds) {
  return `${formatCount(median(rounds))}/s`;
}
