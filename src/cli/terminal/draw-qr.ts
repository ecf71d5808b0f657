import type { ChalkInstance } from "chalk";
import terminal from "qrcode-terminal";

/** White and black of the 256 colors: a theme changes only the first 16. */
const WHITE_ON_BLACK = "\u001b[38;5;231;48;5;16m";
const RESET = "\u001b[0m";
/** The light modules around the symbol, beyond the one that the library draws. */
const QUIET_MODULES = 3;

/**
 * Draws a QR code with half blocks, for a terminal. With colors it is black on white in every theme; without
 * them it takes those of a dark one.
 */
export function drawQrCode(text: string, color: ChalkInstance): string {
  let drawn = "";
  terminal.generate(text, { small: true }, (picture) => {
    drawn = picture;
  });
  if (color.level === 0) return drawn;
  const [top = "", ...rows] = drawn.split("\n").filter((line) => line !== "");
  const side = "█".repeat(QUIET_MODULES);
  // The upper half of the first line is outside of the drawing.
  const light = "█".repeat(top.length);
  return [light, light, ...rows, light, light]
    .map((line) => `${WHITE_ON_BLACK}${side}${line}${side}${RESET}`)
    .join("\n");
}
