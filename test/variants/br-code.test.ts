import jsQR from "jsqr";
import { hasError, parsePix } from "pix-utils";
import { PNG } from "pngjs";
import { expect, it } from "vitest";
import { brCode, qrImage } from "./br-code.ts";

const CODE = brCode("8b3da2f39a4140d1a91abd93113bd441", "Padaria São João da Esquina Ltda", "");

it("is a dynamic code that another parser reads", () => {
  const parsed = parsePix(CODE);
  expect(hasError(parsed)).toBe(false);
  expect(parsed).toMatchObject({
    url: "gateway.example/qr/v2/8b3da2f39a4140d1a91abd93113bd441",
    merchantName: "Padaria Sao Joao da Esqui",
  });
});

it("is what a scanner reads from the image", async () => {
  const { data, width, height } = PNG.sync.read(Buffer.from(await qrImage(CODE, "png"), "base64"));
  expect(jsQR.default(new Uint8ClampedArray(data), width, height)?.data).toBe(CODE);
});
