import { once } from "node:events";
import http from "node:http";
import QRCode from "qrcode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { type Answer, call, control, type Json } from "../support/gateway.ts";
import {
  beside,
  blackPng,
  draw,
  type Picture,
  qrPicture,
  shaded,
  toJpeg,
  toPng,
  turned,
} from "../support/pictures.ts";
import payinRequest from "../../fixtures/requests/payin.json" with { type: "json" };

const MIB = 1024 * 1024;
/** A charge of the central bank's manual, and a key that anyone can pay to. */
const FOREIGN_CODE =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
const STATIC_CODE =
  "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

interface Payin {
  readonly id: string;
  readonly qr_code: string;
}

async function createPayin(token = "shop"): Promise<Payin> {
  const { json } = await call(sandbox, { path: "/v1/payins", token, body: payinRequest });
  return json as Payin;
}

/** @param token the integration; by default all */
function pay(body: unknown, type = "application/json", token?: string): Promise<Answer> {
  const headers = { "content-type": type, "x-api-token": token };
  return call(sandbox, { path: "/_sandbox/pay", headers, body });
}

async function statusOf({ id }: Payin): Promise<unknown> {
  return (await control(sandbox, undefined, `GET /payins/${id}`))["status"];
}

function errorOf({ status, json }: Answer): Json {
  const { errors, message, ...rest } = json as { errors: Json[]; message: string };
  return { status, message, ...rest, errors };
}

describe("POST /_sandbox/pay", { timeout: 60_000 }, () => {
  it("pays the payin that has the code, and answers the record", async () => {
    const [payin, other] = [await createPayin(), await createPayin()];
    const { status, json } = await pay({ code: ` ${payin.qr_code}\n` });

    expect(status).toBe(200);
    expect(json).toEqual(await control(sandbox, undefined, `GET /payins/${payin.id}`));
    expect(json).toMatchObject({ id: payin.id, status: "paid" });
    expect(await statusOf(other)).toBe("waiting");
  });

  it("acts as one integration if the call names one", async () => {
    const payin = await createPayin("shop-a");
    expect(await pay({ code: payin.qr_code }, undefined, "shop-b")).toMatchObject({ status: 404 });
    expect(await statusOf(payin)).toBe("waiting");
    expect(await pay({ code: payin.qr_code }, undefined, "shop-a")).toMatchObject({ status: 200 });
  });

  it("refuses a payin that waits no more", async () => {
    const { qr_code: code } = await createPayin();
    await pay({ code });
    expect(errorOf(await pay({ code }))).toMatchObject({ status: 422, code: "NOT_PROCESSABLE" });
  });

  it("pays a code that was created under another public address", async () => {
    await using other = await startSandbox({ publicUrl: "https://pix.example.test/shop" });
    const { json } = await call(other, { path: "/v1/payins", body: payinRequest });
    const { qr_code: code } = json as Payin;
    const path = "/_sandbox/pay";
    expect(await call(other, { path, body: { code } })).toMatchObject({ status: 200 });
    expect(errorOf(await pay({ code }))).toMatchObject({
      status: 404,
      message: expect.stringContaining("not of this sandbox: its location is pix.example.test/"),
    });
  });

  it.each([
    ["another provider's code", FOREIGN_CODE, "not of this sandbox"],
    ["a Pix key's code", STATIC_CODE, "no location (26-25)"],
  ])("answers 404 for %s, with the reason", async (_title, code, reason) => {
    expect(errorOf(await pay({ code }))).toMatchObject({
      status: 404,
      code: "NOT_PROCESSABLE",
      message: expect.stringContaining(reason),
      errors: [],
    });
  });

  it("answers 404 for the code of a payin that a reset deleted", async () => {
    const { qr_code: code } = await createPayin("reset-shop");
    await control(sandbox, "reset-shop", "POST /reset");
    expect(errorOf(await pay({ code }))).toMatchObject({
      status: 404,
      message: expect.stringContaining("No payin has this code."),
    });
  });

  it.each([
    ["63", FOREIGN_CODE.replace(/....$/, "0000")],
    ["code", "hello"],
    ["code", "0".repeat(600)],
  ])("names field %s of a malformed code", async (field, code) => {
    const [first, ...others] = errorOf(await pay({ code }))["errors"] as Json[];
    expect(others).toEqual([]);
    expect(first).toMatchObject({ field: "code", code: "INVALID_VALUE" });
    const whole = code === "hello" ? "This is not a BR Code" : "A BR Code has up to 512 characters";
    const where = field === "code" ? whole : `Field ${field} `;
    expect(first?.["message"]).toContain(where);
  });

  it.each([
    [{}, "REQUIRED_VALUE"],
    [{ code: " " }, "EMPTY_VALUE"],
    [{ code: 1 }, "INVALID_VALUE"],
  ])("answers 400 for %j", async (body, code) => {
    const { status, errors } = errorOf(await pay(body));
    expect([status, errors]).toEqual([400, [expect.objectContaining({ field: "code", code })]]);
  });

  it("refuses a member that does not exist", async () => {
    const { errors } = errorOf(await pay({ code: FOREIGN_CODE, id: "1" }));
    expect(errors).toEqual([expect.objectContaining({ field: "id" })]);
  });
});

describe("a picture of a code", { timeout: 120_000 }, () => {
  const png = (change: (picture: Picture) => Picture) => (code: string) =>
    ["image/png", toPng(change(qrPicture(code)))] as const;
  const jpeg = (change: (picture: Picture) => Picture) => (code: string) =>
    ["image/jpeg", toJpeg(change(qrPicture(code)))] as const;
  const same = (picture: Picture): Picture => picture;

  it.each([
    ["a PNG", png(same)],
    [
      "a PNG that another program drew",
      async (code: string) => ["image/png", await QRCode.toBuffer(code)] as const,
    ],
    ["a JPEG", jpeg(same)],
    ["a PNG turned by 90 degrees", png((picture) => turned(picture, 90))],
    ["a JPEG turned by 17 degrees", jpeg((picture) => turned(picture, 17))],
    ["a dark JPEG", jpeg((picture) => shaded(picture, (brightness) => 20 + brightness / 6))],
    [
      "a PNG in reverse colours",
      png((picture) => shaded(picture, (brightness) => 255 - brightness)),
    ],
    [
      "a PNG with another QR code that is no BR Code",
      png((picture) => beside(picture, qrPicture("https://example.com"))),
    ],
  ])("pays its payin: %s", async (_title, toPicture) => {
    const payin = await createPayin();
    const [type, picture] = await toPicture(payin.qr_code);
    const answer = await pay(picture, type);
    expect(answer.json).toMatchObject({ id: payin.id, status: "paid" });
  });

  it("may be larger than 1 MiB, and its content type may have parameters", async () => {
    const payin = await createPayin();
    const padded = Buffer.concat([toPng(qrPicture(payin.qr_code)), Buffer.alloc(2 * MIB)]);
    const answer = await pay(padded, "Image/PNG; charset=binary");
    expect(answer.json).toMatchObject({ id: payin.id, status: "paid" });
  });

  it("is answered in a call of this process too", async () => {
    const payin = await createPayin();
    const answer = await sandbox.fetch("/_sandbox/pay", {
      method: "POST",
      headers: { "content-type": "image/png" },
      body: new Uint8Array(toPng(qrPicture(payin.qr_code))),
    });
    expect(await answer.json()).toMatchObject({ id: payin.id, status: "paid" });
  });

  it("does not stop other calls while it is read", async () => {
    let isAnswered = false;
    const reading = pay(blackPng(7000, 5700), "image/png").then((answer) => {
      isAnswered = true;
      return answer;
    });
    const { status } = await call(sandbox, { method: "GET", path: "/_sandbox/health" });
    expect([status, isAnswered]).toEqual([200, false]);
    expect(await reading).toMatchObject({ status: 422 });
  });

  const code = FOREIGN_CODE;
  it.each([
    ["without a code", 422, toPng(draw(200, 200, () => 255)), "no readable QR code"],
    [
      "with two BR Codes",
      422,
      toPng(beside(qrPicture(code), qrPicture(STATIC_CODE))),
      "several QR codes",
    ],
    ["that is cut short", 400, toPng(qrPicture(code)).subarray(0, -200), "damaged, cut short"],
    [
      "that is a JPEG cut short",
      400,
      toJpeg(qrPicture(code)).subarray(0, 100),
      "damaged, cut short",
    ],
    ["of another format", 400, Buffer.from("GIF89a______________________________"), "other format"],
    ["without bytes", 400, Buffer.alloc(0), "damaged, cut short"],
    ["that claims 50,000×50,000 pixels", 413, claiming(50_000, 50_000), "40 megapixels"],
    ["that claims 40,000,001 pixels", 413, claiming(40_000_001, 1), "40 megapixels"],
    ["over 10 MiB", 413, Buffer.alloc(10 * MIB + 1), "larger than 10 MiB"],
    ["of a code of another sandbox", 404, toPng(qrPicture(code)), "not of this sandbox"],
    ["of a text that is no BR Code", 400, toPng(qrPicture("hello")), "not a BR Code"],
  ])("is refused %s", async (_title, status, picture, reason) => {
    const refused = errorOf(await pay(picture, "image/png"));
    expect(refused).toMatchObject({ status });
    expect(JSON.stringify(refused)).toContain(reason);
  });

  it("is refused under another content type", async () => {
    for (const type of ["image/gif", "application/octet-stream", "text/plain", "image/pngx"])
      expect(await pay(toPng(qrPicture(code)), type)).toMatchObject({ status: 415 });
  });

  it("is refused compressed", async () => {
    const headers = { "content-type": "image/png", "content-encoding": "gzip" };
    const refused = await call(sandbox, { path: "/_sandbox/pay", headers, body: Buffer.alloc(9) });
    expect(refused).toMatchObject({ status: 415 });
  });

  it("is the only body that may be over 1 MiB", async () => {
    const long = { code: "0".repeat(MIB) };
    expect(errorOf(await pay(long))).toMatchObject({
      status: 413,
      message: expect.stringContaining("1 MiB"),
    });
    const headers = { "content-type": "image/png" };
    const picture = Buffer.alloc(2 * MIB);
    const refused = await call(sandbox, { path: "/v1/payins", headers, body: picture });
    expect(refused).toMatchObject({ status: 415 });
  });

  it("does not delay a stop", async () => {
    const stopping = await startSandbox();
    const big = blackPng(6000, 6000);
    const outgoing = http.request(`${stopping.url}/_sandbox/pay`, {
      method: "POST",
      headers: { "content-type": "image/png", "content-length": big.length },
    });
    const answered = once(outgoing, "response") as Promise<[http.IncomingMessage]>;
    outgoing.end(big);
    await once(outgoing, "finish");
    await call(stopping, { method: "GET", path: "/_sandbox/health" });
    await stopping.close();
    expect((await answered)[0].statusCode).toBe(503);
  });

  function claiming(width: number, height: number): Buffer {
    const bytes = Buffer.from(toPng(draw(1, 1, () => 0)));
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  }
});
