import {
  MAX_PICTURE_BYTES,
  pictureSizeOf,
  pictureTypeOf,
  pngDataOf,
} from "../../wire/picture-header.ts";
import { onAbort } from "../calls/abort.ts";
import { HttpRefusal, stopping, unreadableBody } from "../calls/refusals.ts";
import type { Call } from "../calls/call.ts";
import { PictureThread } from "./picture-thread.ts";
import { say } from "../../text/message.ts";

const MAX_PIXELS = 40_000_000;

const thread = new PictureThread();

/** What ends the reading of a picture. */
export interface PictureClient extends Pick<Call, "onDisconnect"> {
  readonly closing: AbortSignal;
}

/**
 * Reads the BR Code of a PNG or JPEG, in a thread of its own.
 * @param client absent if the picture is this process's own
 * @throws HttpRefusal for a picture that is too large, unreadable, or has no QR code or several BR Codes, and if too
 * many pictures wait
 */
export async function readPicture(bytes: Uint8Array, client?: PictureClient): Promise<string> {
  const size = pictureSizeOf(bytes);
  if (!size) throw unreadableBody(UNREADABLE);
  if (bytes.length > MAX_PICTURE_BYTES || size.width * size.height > MAX_PIXELS) throw tooLarge();
  const data = pngDataOf(bytes);
  if (!data && pictureTypeOf(bytes) === "image/png") throw unreadableBody(UNREADABLE);
  const reading = thread.read({ bytes, data });
  client?.onDisconnect(() => reading.drop(disconnected()));
  const stopListening = client && onAbort(client.closing, () => reading.drop(stopping()));
  try {
    const found = await reading.found;
    if (found === "inflated") throw inflated();
    if (found === "unreadable") throw unreadableBody(UNREADABLE);
    return selectBrCode(found);
  } finally {
    stopListening?.();
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
  return new HttpRefusal(
    413,
    "VALIDATION_ERROR",
    say`The picture is larger than 10 MiB or 40 megapixels; send a smaller one.`,
  );
}

function inflated(): HttpRefusal {
  return new HttpRefusal(
    413,
    "VALIDATION_ERROR",
    say`The picture's compressed data is larger than its width and height allow; save the picture again.`,
  );
}

/** No one reads it: the client has disconnected. */
function disconnected(): HttpRefusal {
  return new HttpRefusal(
    408,
    "EXTERNAL_ERROR",
    say`The client disconnected before its picture was read; nothing was paid.`,
  );
}

const UNREADABLE = say`The picture is not a readable PNG or JPEG: it is damaged, cut short or of another format.`;
const NO_CODE = say`The picture has no readable QR code; show the whole code with its white margin.`;
const SEVERAL_CODES = say`The picture has several QR codes; cut it to one of them.`;
