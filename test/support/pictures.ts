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

function toRgba({ pixels }: Picture): Buffer {
  const data = Buffer.alloc(pixels.length * 4, 255);
  for (const [index, brightness] of pixels.entries())
    data.fill(brightness, index * 4, index * 4 + 3);
  return data;
}
