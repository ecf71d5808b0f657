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

/** A color of the 256, and a theme's for a terminal without one: black and white are what they are in no theme. */
const COLORS: Readonly<Record<string, number>> = { 16: 0, 231: 255 };

/**
 * A terminal of a theme as a PNG, with a drawing in half blocks on it.
 * @param theme the greys of the theme's text and background
 */
export function renderTerminal(
  text: string,
  theme: { readonly text: number; readonly background: number },
): Buffer {
  const rows = text.split("\n").map((line) => toCells(line, theme));
  const around = { text: theme.text, background: theme.background, glyph: " " };
  const columns = Math.max(...rows.map((row) => row.length)) + 2 * SURROUNDINGS;
  const lines = rows.length + SURROUNDINGS;
  const width = columns * PIXELS;
  const height = lines * 2 * PIXELS;
  const image = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const row = rows[Math.floor(y / PIXELS / 2) - SURROUNDINGS / 2];
      const cell = row?.[Math.floor(x / PIXELS) - SURROUNDINGS] ?? around;
      const isText = HALVES[cell.glyph]?.[Math.floor(y / PIXELS) % 2] ?? false;
      const grey = isText ? cell.text : cell.background;
      image.data.set([grey, grey, grey, 255], (y * width + x) * 4);
    }
  }
  return PNG.sync.write(image);
}

/** The characters of a line with the greys that its escape sequences select. */
function toCells(line: string, theme: { readonly text: number; readonly background: number }) {
  let { text, background } = theme;
  // oxlint-disable-next-line no-control-regex -- an escape sequence begins with one.
  return [...line.matchAll(/\u001b\[([\d;]*)m|(.)/gu)].flatMap(([, codes, glyph]) => {
    if (glyph !== undefined) return { text, background, glyph };
    const [, one] = /38;5;(\d+)/.exec(codes ?? "") ?? [];
    const [, other] = /48;5;(\d+)/.exec(codes ?? "") ?? [];
    text = COLORS[one ?? ""] ?? theme.text;
    background = COLORS[other ?? ""] ?? theme.background;
    return [];
  });
}

/** What a scanner reads from a PNG. */
export function scanPng(image: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(image);
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
}
