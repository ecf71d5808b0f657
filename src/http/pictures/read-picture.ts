import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { MAX_PICTURE_BYTES, pictureSizeOf } from "../../core/picture-header.ts";
import { onAbort } from "../abort.ts";
import { HttpRefusal, stopping, unreadableBody } from "../answers/refusals.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";

const MAX_PIXELS = 40_000_000;
const MAX_SECONDS = 20;

const WORKER = fileURLToPath(new URL("./picture-worker.js", import.meta.url));

/** One picture at a time: decoding one of 40 megapixels takes hundreds of megabytes. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads the BR Code of a PNG or JPEG, in a thread of its own.
 * @param closing ends the reading with a 503
 * @throws HttpRefusal for a picture that is too large, unreadable, or has no QR code or several BR Codes
 */
export async function readPicture(bytes: Uint8Array, closing?: AbortSignal): Promise<string> {
  const size = pictureSizeOf(bytes);
  if (!size) throw unreadableBody(UNREADABLE);
  if (bytes.length > MAX_PICTURE_BYTES || size.width * size.height > MAX_PIXELS) throw tooLarge();
  const reading = last.then(() => readQrCodes(bytes, closing));
  last = reading.catch(() => undefined);
  return selectBrCode(await reading);
}

/** The texts of all QR codes in a picture. */
async function readQrCodes(bytes: Uint8Array, closing?: AbortSignal): Promise<readonly string[]> {
  if (closing?.aborted) throw stopping();
  // Without the process's own options: a thread cannot start with some, such as --input-type.
  const worker = new Worker(WORKER, { workerData: bytes, execArgv: [] });
  let stopListening = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const texts = await new Promise<readonly string[] | null>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("The thread that reads pictures has ended.")));
      timer = setTimeout(() => reject(tooSlow()), MAX_SECONDS * 1000);
      if (closing) stopListening = onAbort(closing, () => reject(stopping()));
    });
    if (texts === null) throw unreadableBody(UNREADABLE);
    return texts;
  } finally {
    clearTimeout(timer);
    stopListening();
    await worker.terminate();
  }
}

/** The only BR Code; else the only text, which the reader of BR Codes then explains. */
function selectBrCode(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  const codes = distinct.filter((text) => text.startsWith("0002"));
  const [first, ...others] = codes.length > 0 ? codes : distinct;
  if (first === undefined) throw new HttpRefusal(422, "NOT_PROCESSABLE", NO_CODE);
  if (others.length > 0) throw new HttpRefusal(422, "NOT_PROCESSABLE", SEVERAL_CODES);
  return first;
}

function tooLarge(): HttpRefusal {
  return new HttpRefusal(413, "VALIDATION_ERROR", {
    en: "The picture is larger than 10 MiB or 40 megapixels; send a smaller one.",
    pt: "A imagem tem mais de 10 MiB ou de 40 megapixels; envie uma menor.",
  });
}

function tooSlow(): HttpRefusal {
  return new HttpRefusal(422, "NOT_PROCESSABLE", {
    en: `The picture was not read within ${MAX_SECONDS} s; send a smaller one.`,
    pt: `A imagem não foi lida em ${MAX_SECONDS} s; envie uma menor.`,
  });
}

const UNREADABLE = {
  en: "The picture is not a readable PNG or JPEG: it is damaged, cut short or of another format.",
  pt: "A imagem não é um PNG ou JPEG legível: está danificada, cortada ou em outro formato.",
};
const NO_CODE = {
  en: "The picture has no readable QR code; show the whole code with its white margin.",
  pt: "A imagem não tem um QR Code legível; mostre o código inteiro, com a margem branca.",
};
const SEVERAL_CODES = {
  en: "The picture has several QR codes; cut it to one of them.",
  pt: "A imagem tem vários QR Codes; recorte-a para mostrar só um.",
};
