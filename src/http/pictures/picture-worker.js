// Reads the QR codes of pictures in a thread of its own. Plain JavaScript: Node 20 runs it from the sources too.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import { createInflate } from "node:zlib";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

// By default the package fetches it from the network. build/index.js changes the address to that of the file in dist.
const file = fileURLToPath(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm"));
prepareZXingModule({ overrides: { wasmBinary: readFileSync(file) } });

parentPort?.on("message", async ({ bytes, data }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage((await problemOf(data)) ?? (await read(bytes)));
});

/** @returns the texts of all QR codes, or why there are none */
async function read(bytes) {
  const found = await readBarcodes(bytes, { formats: ["QRCode"], tryHarder: true });
  // A picture that cannot be decoded is one result with an error.
  const isReadable = found.every(({ error, isValid }) => isValid || error === "");
  return isReadable ? found.map(({ text }) => text) : "unreadable";
}

/** Inflates a PNG's data without storing it: the decoder stores all of it, however small the picture is. */
async function problemOf(data) {
  if (data === undefined) return undefined;
  const inflate = createInflate({ chunkSize: 65_536 });
  inflate.end(data.compressed);
  let size = 0;
  try {
    for await (const chunk of inflate) {
      size += chunk.length;
      if (size > data.maxBytes) return "inflated";
    }
  } catch {
    return "unreadable";
  }
  return undefined;
}
