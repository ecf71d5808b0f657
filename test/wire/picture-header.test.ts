import { describe, expect, it } from "vitest";
import { pictureSizeOf, pictureTypeOf } from "../../src/wire/picture-header.ts";
import { draw, toJpeg, toPng } from "../support/pictures.ts";

const picture = draw(37, 21, (x) => x);

describe("the header of a picture", () => {
  it("has the format and the size", () => {
    expect(pictureTypeOf(toPng(picture))).toBe("image/png");
    expect(pictureTypeOf(toJpeg(picture))).toBe("image/jpeg");
    expect(pictureSizeOf(toPng(picture))).toEqual({ width: 37, height: 21 });
    expect(pictureSizeOf(toJpeg(picture))).toEqual({ width: 37, height: 21 });
  });

  it("is found behind fill bytes and comments of a JPEG", () => {
    const bytes = toJpeg(picture);
    const comment = Buffer.from([0x00, 0xff, 0xff, 0xfe, 0x00, 0x04, 0xff, 0xc0]);
    const longer = Buffer.concat([bytes.subarray(0, 2), comment, bytes.subarray(2)]);
    expect(pictureSizeOf(longer)).toEqual({ width: 37, height: 21 });
  });

  it.each([
    ["no bytes", Buffer.alloc(0)],
    ["text", Buffer.from("00020101021226")],
    ["the beginning of a PNG", toPng(picture).subarray(0, 20)],
    ["the beginning of a JPEG", toJpeg(picture).subarray(0, 30)],
    ["a JPEG with an unknown segment", Buffer.from("ffd8ffcc000400000000000000000000", "hex")],
    ["a JPEG without a frame", Buffer.concat([Buffer.from("ffd8", "hex"), Buffer.alloc(1000)])],
    ["another first chunk of a PNG", Buffer.from(toPng(picture)).fill("IDAT", 12, 16)],
  ])("has no size if it is %s", (_title, bytes) => {
    expect(pictureSizeOf(bytes)).toBeUndefined();
  });
});
