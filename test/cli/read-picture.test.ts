import { Readable } from "node:stream";
import jpeg from "jpeg-js";
import { PNG } from "pngjs";
import QRCode from "qrcode";
import { describe, expect, it } from "vitest";
import { readCodeSource } from "../../src/cli/definition/code-source.ts";
import { readPicture } from "../../src/cli/definition/read-picture.ts";
import { quietIo } from "../support/quiet-io.ts";
import { draw, qrPicture, shaded, toJpeg, toPng, turned } from "../support/pictures.ts";

const CODE =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
const picture = qrPicture(CODE);

describe("a picture of a code", { timeout: 60_000 }, () => {
  it.each([
    ["a PNG", () => toPng(picture)],
    ["a PNG that another program drew", () => QRCode.toBuffer(CODE)],
    ["a JPEG", () => toJpeg(picture)],
    ["a PNG turned by 90 degrees", () => toPng(turned(picture, 90))],
    ["a JPEG turned by 17 degrees", () => toJpeg(turned(picture, 17))],
    ["a dark JPEG", () => toJpeg(shaded(picture, (brightness) => 20 + brightness / 6))],
    ["a PNG in reverse colours", () => toPng(shaded(picture, (brightness) => 255 - brightness))],
    ["a PNG on a transparent ground", transparent],
    ["a photograph with grain", photograph],
    ["a large screenshot", () => toPng(draw(2880, 1800, onScreen))],
  ])("is read: %s", async (_title, draws) => {
    expect(readPicture(await draws())).toBe(CODE);
  });

  it("is announced on a terminal before it is read", async () => {
    const shown: string[] = [];
    const stdin = Readable.from([toPng(picture)]);
    const showStatus = (text: string) => void shown.push(text);
    const io = { ...quietIo(), stdin, isTerminal: true, showStatus };
    expect(await readCodeSource(["-"], { io, json: false })).toEqual({ code: CODE });
    expect(shown).toEqual(["Looking for a QR code…", ""]);
  });

  it.each([
    ["without a code", toPng(draw(200, 200, () => 255)), 8, "Crop it to one code and its"],
    ["that is cut short", toPng(picture).subarray(0, -200), 8, "damaged or cut short"],
    ["of which the signature exists only", toPng(picture).subarray(0, 8), 8, "damaged"],
    ["that is a JPEG cut short", toJpeg(picture).subarray(0, 100), 8, "damaged or cut short"],
    ["that claims 50,000×50,000 pixels", claimingPng(50_000, 50_000), 2, "50 megapixels"],
    ["that claims 50,000,001 pixels", claimingPng(50_000_001, 1), 2, "50 megapixels"],
    ["that is a JPEG of 65,000×65,000 pixels", claimingJpeg(65_000), 2, "50 megapixels"],
  ])("is refused %s", (_title, bytes, exitCode, reason) => {
    let thrown: unknown;
    try {
      readPicture(bytes);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ exitCode });
    const { message, hint } = thrown as { message: string; hint: string };
    expect(`${message} ${hint}`).toContain(reason);
  });
});

function transparent(): Buffer {
  const png = new PNG({ width: picture.width, height: picture.height });
  for (const [index, brightness] of picture.pixels.entries())
    png.data[index * 4 + 3] = 255 - brightness;
  return PNG.sync.write(png);
}

/** Large, not straight, lit from one side, and with grain that is the same in each run. */
function photograph(): Buffer {
  const { width, height, pixels } = turned(picture, 12, 6);
  let state = 1;
  const data = Buffer.alloc(width * height * 4, 255);
  for (const [index, brightness] of pixels.entries()) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const light = 0.6 + (0.4 * (index % width)) / width;
    data.fill((40 + brightness / 2) * light + (state >>> 26), index * 4, index * 4 + 3);
  }
  return jpeg.encode({ width, height, data }, 80).data;
}

function onScreen(x: number, y: number): number {
  const [column, row] = [x - 1500, y - 900];
  const isInside = column >= 0 && column < picture.width && row >= 0 && row < picture.height;
  return isInside ? (picture.pixels[row * picture.width + column] ?? 0) : 240;
}

function claimingPng(width: number, height: number): Buffer {
  const bytes = Buffer.from(toPng(draw(1, 1, () => 0)));
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

function claimingJpeg(side: number): Buffer {
  const bytes = Buffer.from(toJpeg(draw(8, 8, () => 0)));
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(side, frame + 5);
  bytes.writeUInt16BE(side, frame + 7);
  return bytes;
}
