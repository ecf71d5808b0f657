// Reads the QR codes of a picture in a thread of its own. Plain JavaScript: Node 20 runs it from the sources too.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

// By default the package fetches it from the network. build.js changes the address to that of the file in dist.
const file = fileURLToPath(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm"));
prepareZXingModule({ overrides: { wasmBinary: readFileSync(file) } });
const found = await readBarcodes(workerData, { formats: ["QRCode"], tryHarder: true });
// A picture that cannot be decoded is one result with an error.
const isReadable = found.every(({ error, isValid }) => isValid || error === "");
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(isReadable ? found.map(({ text }) => text) : null);
