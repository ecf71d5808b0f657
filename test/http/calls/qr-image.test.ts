import jsQR from "jsqr";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { randomFrom } from "../../support/core.ts";
import { codeWith } from "../../support/br-codes.ts";
import { renderQrPng, renderQrSvg } from "../../../src/http/calls/qr-image.ts";

const CODE = codeWith({});

describe("a QR image as a PNG", () => {
  it.each([
    ["the longest BR code", `${CODE}${"A9-".repeat(200)}`.slice(0, 512)],
    ["accents and emoji", "São João 🛒"],
  ])("is read back by a scanner: %s", (_title, text) => {
    expect(scan(renderQrPng(text))).toBe(text);
  });

  it("is read back by a scanner, fifty codes of every length up to 250", () => {
    for (const text of seededTexts(50)) expect(scan(renderQrPng(text))).toBe(text);
  });

  it("is square, grayscale, one bit a pixel, and white around the symbol", () => {
    const image = renderQrPng(CODE);
    expect(image.readUInt32BE(16)).toBe(image.readUInt32BE(20));
    // Bit depth, color type, compression, filter, interlace.
    expect([...image.subarray(24, 29)]).toEqual([1, 0, 0, 0, 0]);
    const { width, height, data } = PNG.sync.read(image);
    const isDark = (x: number, y: number): boolean => data[(y * width + x) * 4] === 0;
    const positions = Array.from({ length: width }, (_, index) => index);
    const darkRows = positions.filter((y) => positions.some((x) => isDark(x, y)));
    const darkColumns = positions.filter((x) => positions.some((y) => isDark(x, y)));
    for (const dark of [darkRows, darkColumns])
      expect([dark.at(0), dark.at(-1)]).toEqual([16, height - 17]);
  });
});

describe("a QR image as an SVG", () => {
  it("is a document that draws the symbol as a path, white around it", () => {
    const image = renderQrSvg(CODE);

    expect(image).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1"/);
    expect(image).toMatch(/<path stroke="#000000" d="M4 4\.5h7/);
    expect(image.trimEnd()).toMatch(/<\/svg>$/);
  });

  it("is refused for a text that no QR code holds", () => {
    expect(() => renderQrSvg("a".repeat(3000))).toThrow(/too big/);
  });
});

function scan(image: Buffer): string | undefined {
  const { width, height, data } = PNG.sync.read(image);
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
}

/** Texts of the characters that BR codes have, the same on every run. */
function seededTexts(count: number): string[] {
  const alphabet = "0123456789abcdefABCDEFXYZ .-_/*";
  const random = randomFrom(20_261_121);
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: count }, (_, index) =>
    Array.from({ length: 5 * (index + 1) }, () => alphabet[below(alphabet.length)]).join(""),
  );
}
