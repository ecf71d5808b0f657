import jsQR from "jsqr";
import { PNG } from "pngjs";

/** How many pixels a module gets: enough for a scanner to find its way. */
const PIXELS = 4;
/** How much of the terminal is seen around a drawing, in modules. */
const SURROUNDINGS = 4;
/** Which halves of a character are lit: a light module is lit, and a terminal is dark. */
const HALVES: Readonly<Record<string, readonly [upper: boolean, lower: boolean]>> = {
  "█": [true, true],
  "▀": [true, false],
  "▄": [false, true],
  " ": [false, false],
};

/** What a scanner reads from the QR code that is drawn in half blocks somewhere in `text`. */
export function scanDrawing(text: string): string | undefined {
  const lines = text.split("\n").filter((line) => /^[█▀▄ ]{20,}$/.test(line));
  const size = Math.max(...lines.map((line) => line.length), 0) + 2 * SURROUNDINGS;
  const height = 2 * (lines.length + SURROUNDINGS);
  const isLit = (x: number, y: number): boolean => {
    const line = lines[Math.floor(y / 2) - SURROUNDINGS / 2];
    return HALVES[line?.[x - SURROUNDINGS] ?? " "]?.[y % 2] ?? false;
  };
  const pixels = new Uint8ClampedArray(size * height * PIXELS * PIXELS * 4);
  for (let y = 0; y < height * PIXELS; y++) {
    for (let x = 0; x < size * PIXELS; x++) {
      const light = isLit(Math.floor(x / PIXELS), Math.floor(y / PIXELS)) ? 255 : 0;
      pixels.set([light, light, light, 255], (y * size * PIXELS + x) * 4);
    }
  }
  return jsQR.default(pixels, size * PIXELS, height * PIXELS)?.data;
}

/** What a scanner reads from a PNG. */
export function scanPng(image: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(image);
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
}
