import jpeg from "jpeg-js";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { say } from "../../text/message.ts";

/** Decoding needs some ten bytes a pixel. */
const MAX_MEGAPIXELS = 50;
const MAX_MEGABYTES = 1_000;
/**
 * The lengths to which the longer side is shrunk, in the order in which they are tried. In a large photograph the
 * decoder would look at each grain for minutes; a small code in a screenshot needs more pixels.
 */
const SIDES = [1_000, 500, 2_000];

/** Pixels with four bytes each: red, green, blue and opacity. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/**
 * Reads the text of the QR code in a PNG or JPEG. Import this module for a picture only: other commands do not need
 * its decoders.
 * @throws CliError for a picture that is too large, is damaged or has no readable QR code
 */
export function readPicture(bytes: Buffer): string {
  const pixels = bytes[0] === 0xff ? decodeJpeg(bytes) : decodePng(bytes);
  const longer = Math.max(pixels.width, pixels.height);
  for (const scale of new Set(SIDES.map((side) => Math.ceil(longer / side)))) {
    const { data, width, height } = shrink(pixels, scale);
    const found = jsQR.default(data, width, height);
    if (found) return found.data;
  }
  throw new CliError(
    EXIT.checkFailed,
    "PICTURE_NOT_READ",
    say`The picture has no readable QR code.`,
    say`Crop it to one code and its white margin: several codes in a picture cannot be read. Or photograph the code straight from the front.`,
  );
}

/** The picture on a white ground, in grey. Each of its pixels is the mean of `scale` × `scale` others. */
function shrink({ width, height, data }: Pixels, scale: number) {
  const small = { width: Math.floor(width / scale), height: Math.floor(height / scale) };
  const greys = new Uint8ClampedArray(small.width * small.height * 4).fill(255);
  for (let y = 0; y < small.height; y++)
    for (let x = 0; x < small.width; x++) {
      let darkness = 0;
      for (let row = y * scale; row < (y + 1) * scale; row++)
        for (let column = x * scale; column < (x + 1) * scale; column++) {
          const at = (row * width + column) * 4;
          const grey =
            0.3 * (data[at] ?? 0) + 0.59 * (data[at + 1] ?? 0) + 0.11 * (data[at + 2] ?? 0);
          darkness += (255 - grey) * (data[at + 3] ?? 255);
        }
      const at = (y * small.width + x) * 4;
      greys.fill(255 - darkness / (255 * scale * scale), at, at + 3);
    }
  return { ...small, data: greys };
}

function decodePng(bytes: Buffer): Pixels {
  // The header is always the first chunk. The decoder would allocate what it claims.
  if (bytes.length < 24 || bytes.readUInt32BE(16) * bytes.readUInt32BE(20) > MAX_MEGAPIXELS * 1e6)
    throw bytes.length < 24 ? damaged() : tooLarge();
  try {
    return PNG.sync.read(bytes);
  } catch {
    throw damaged();
  }
}

function decodeJpeg(bytes: Buffer): Pixels {
  try {
    return jpeg.decode(bytes, {
      useTArray: true,
      maxResolutionInMP: MAX_MEGAPIXELS,
      maxMemoryUsageInMB: MAX_MEGABYTES,
    });
  } catch (error) {
    throw /^max\w+ limit exceeded/.test((error as Error).message) ? tooLarge() : damaged();
  }
}

function tooLarge(): CliError {
  return usageError(
    say`The picture is larger than ${MAX_MEGAPIXELS} megapixels.`,
    say`Crop it to the QR code, or save it smaller.`,
  );
}

function damaged(): CliError {
  return new CliError(
    EXIT.checkFailed,
    "PICTURE_NOT_READ",
    say`The picture is not a readable PNG or JPEG: it is damaged or cut short.`,
    say`Save the picture again, or pass the code itself in quotes.`,
  );
}
