/**
 * Drawing a QR image, against the library's: drawing with the library would take far longer than the rest of a
 * payin. Both draw the same code. Payins with an image are created over HTTP beside it.
 */
import path from "node:path";
import { pathToFileURL } from "node:url";
import QRCode from "qrcode";
import { bundleSource } from "./bundle.js";
import { createFolder } from "./cleanup.js";
import { compareRates } from "./compare.js";
import { startGenerator } from "./generator.js";
import { measureInTurns } from "./rounds.js";
import { startSandbox } from "./servers.js";

const TURN_MS = 300;
const PAYINS = 3_000;
const CODE =
  "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/7d9f0c2b4a6e48f1b3c5d7e9f0a1b2c3" +
  "5204000053039865802BR5912LOJA EXEMPLO6009SAO PAULO62070503***6304DE3B";

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<import("./figures.js").Figure[]>}
 */
export async function measureQr({ short }) {
  // CommonJS, like the library that it contains.
  const bundle = await bundleSource(path.join(await createFolder(), "qr-image.cjs"), {
    renderQrPng: "http/answers/qr-image.ts",
  });
  const { renderQrPng } = await import(pathToFileURL(bundle).href);
  const sandbox = await startSandbox(["--memory"]);
  const generator = startGenerator(sandbox, { qr: true });
  const { own, library, payins } = await measureInTurns(short ? 2 : 7, {
    own: () => measureRate(() => renderQrPng(CODE).toString("base64")),
    library: () => measureRate(() => QRCode.toDataURL(CODE)),
    payins: () => generator.send(PAYINS),
  });
  await generator.stop();
  await sandbox.stop();
  return [
    {
      name: "drawing a QR image / QRCode.toDataURL",
      target: { atLeast: 8 },
      ...compareRates(own, library),
    },
    {
      name: "creating a payin with its image / QRCode.toDataURL",
      ...compareRates(payins, library),
    },
  ];
}

/** @param {() => unknown} draw */
async function measureRate(draw) {
  const startedAt = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < TURN_MS) {
    await draw();
    count++;
    elapsedMs = performance.now() - startedAt;
  }
  return { perSecond: (count / elapsedMs) * 1_000 };
}
