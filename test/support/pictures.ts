import { constants, crc32, deflateRawSync, deflateSync } from "node:zlib";
import jpeg from "jpeg-js";
import { PNG } from "pngjs";
import { renderQrPng } from "../../src/http/calls/qr-image.ts";

/** A grey picture: one byte a pixel, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export function qrPicture(text: string): Picture {
  const { width, height, data } = PNG.sync.read(renderQrPng(text));
  return draw(width, height, (x, y) => data[(y * width + x) * 4] ?? 255);
}

/** Draws a picture from the brightness of each pixel. */
export function draw(
  width: number,
  height: number,
  brightness: (x: number, y: number) => number,
): Picture {
  const pixels = Uint8Array.from({ length: width * height }, (_, index) =>
    brightness(index % width, Math.floor(index / width)),
  );
  return { width, height, pixels };
}

/** The picture turned by an angle and scaled around its centre, on a larger grey ground. */
export function turned(picture: Picture, degrees: number, scale = 2): Picture {
  const side = Math.ceil(Math.hypot(picture.width, picture.height) * scale) + 40;
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  return draw(side, side, (x, y) => {
    const [dx, dy] = [(x - side / 2) / scale, (y - side / 2) / scale];
    const sourceX = Math.floor(dx * cos + dy * sin + picture.width / 2);
    const sourceY = Math.floor(dy * cos - dx * sin + picture.height / 2);
    const isInside =
      sourceX >= 0 && sourceX < picture.width && sourceY >= 0 && sourceY < picture.height;
    return isInside ? (picture.pixels[sourceY * picture.width + sourceX] ?? 0) : 200;
  });
}

/** Pictures side by side. */
export function beside(one: Picture, other: Picture): Picture {
  const height = Math.max(one.height, other.height);
  return draw(one.width + other.width, height, (x, y) => {
    const [source, sourceX] = x < one.width ? [one, x] : [other, x - one.width];
    return y < source.height ? (source.pixels[y * source.width + sourceX] ?? 255) : 255;
  });
}

/** The picture with every brightness changed. */
export function shaded(picture: Picture, change: (brightness: number) => number): Picture {
  return { ...picture, pixels: picture.pixels.map(change) };
}

export function toPng(picture: Picture): Buffer {
  const png = new PNG({ width: picture.width, height: picture.height });
  png.data = toRgba(picture);
  return PNG.sync.write(png);
}

export function toJpeg(picture: Picture, quality = 70): Buffer {
  const { width, height } = picture;
  return jpeg.encode({ width, height, data: toRgba(picture) }, quality).data;
}

export function blackPng(width: number, height: number): Buffer {
  const pixels = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  return pngOf(width, height, deflateSync(pixels, { level: 1 }));
}

export function inflatingPng(): Buffer {
  const options = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  // After a full flush the next block does not refer to the bytes before it: the same one can follow.
  const [header, block] = [
    Buffer.from([0x78, 0xda]),
    deflateRawSync(Buffer.alloc(2 ** 24), options),
  ];
  const end = Buffer.from([3, 0, 0, 0, 0, 0]);
  return pngOf(10, 10, Buffer.concat([header, ...Array<Buffer>(128).fill(block), end]));
}

function pngOf(width: number, height: number, pixels: Buffer): Buffer {
  const png = Buffer.from(renderQrPng(""));
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  const data = Buffer.concat([Buffer.alloc(4), Buffer.from("IDAT"), pixels, Buffer.alloc(4)]);
  data.writeUInt32BE(pixels.length);
  data.writeUInt32BE(crc32(data.subarray(4, -4)), data.length - 4);
  return Buffer.concat([png.subarray(0, 33), data, png.subarray(-12)]);
}

function toRgba({ pixels }: Picture): Buffer {
  const data = Buffer.alloc(pixels.length * 4, 255);
  for (const [index, brightness] of pixels.entries())
    data.fill(brightness, index * 4, index * 4 + 3);
  return data;
}
