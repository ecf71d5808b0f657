/** The formats of pictures that can be read, as content types. */
export const PICTURE_TYPES = ["image/png", "image/jpeg"] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** The maximum size of a picture's file. */
export const MAX_PICTURE_BYTES = 10 * 1024 * 1024;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The format of a picture by its first bytes; undefined if it is neither PNG nor JPEG. */
export function pictureTypeOf(bytes: Uint8Array): PictureType | undefined {
  if (PNG_SIGNATURE.every((byte, index) => bytes[index] === byte)) return "image/png";
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? "image/jpeg" : undefined;
}

/** The size that a picture's header declares; undefined if it has no readable header. */
export function pictureSizeOf(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = pictureTypeOf(bytes);
  if (type === undefined) return undefined;
  return type === "image/png" ? pngSizeOf(view) : jpegSizeOf(view);
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const IHDR = 0x49484452;

/** IHDR is always the first chunk. */
function pngSizeOf(view: DataView): PictureSize | undefined {
  if (view.byteLength < 29 || view.getUint32(12) !== IHDR) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** A PNG's compressed pixels, and the most bytes that they may inflate to. */
export interface PngData {
  readonly compressed: Uint8Array;
  readonly maxBytes: number;
}

/** The data of a PNG; undefined for one that is damaged. */
export function pngDataOf(bytes: Uint8Array): PngData | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = pngSizeOf(view);
  const samples = size && SAMPLES[view.getUint8(25)];
  if (!size || samples === undefined || !BIT_DEPTHS.has(view.getUint8(24))) return undefined;
  const compressed = new Uint8Array(bytes.length);
  let total = 0;
  for (let at = 8; at + 12 <= bytes.length;) {
    const [length, type] = [view.getUint32(at), view.getUint32(at + 4)];
    const end = at + 8 + length;
    // Apple's own kind of PNG has other compressed data, whose size would not be checked.
    if (end + 4 > bytes.length || type === CGBI) return undefined;
    if (type === IDAT) {
      compressed.set(bytes.subarray(at + 8, end), total);
      total += length;
    }
    if (type === IEND) {
      const rowBytes = Math.ceil((size.width * samples * view.getUint8(24)) / 8);
      const maxBytes = size.height * (rowBytes + ROW_EXTRA) + SPARE_BYTES;
      return { compressed: compressed.subarray(0, total), maxBytes };
    }
    at = end + 4;
  }
  return undefined;
}

/** Other depths do not exist: they would only raise the limit. */
const BIT_DEPTHS: ReadonlySet<number> = new Set([1, 2, 4, 8, 16]);

/** Samples a pixel, by the header's color type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const IDAT = 0x49444154;
const IEND = 0x49454e44;
const CGBI = 0x43674249;
/** Each row has a byte for its filter. An interlaced picture has up to twice as many rows, each rounded up. */
const ROW_EXTRA = 4;
/** Some programs write a little more than the pixels. */
const SPARE_BYTES = 65_536;

/** Reads segments up to the frame header, as the decoder does. */
function jpegSizeOf(view: DataView): PictureSize | undefined {
  let at = 2;
  while (at + 9 <= view.byteLength) {
    const marker = view.getUint8(at + 1);
    // Bytes between segments, and fill bytes before a marker.
    if (view.getUint8(at) !== 0xff || marker === 0xff) at += 1;
    else if (FRAMES.has(marker))
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else if (!isSkipped(marker)) return undefined;
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** The frames that the decoder reads: baseline, extended and progressive. */
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);

/** The segments that may come before a frame: Huffman and quantization tables, the restart interval, APPn and comments. */
function isSkipped(marker: number): boolean {
  return [0xc4, 0xdb, 0xdd, 0xfe].includes(marker) || (marker >= 0xe0 && marker <= 0xef);
}
