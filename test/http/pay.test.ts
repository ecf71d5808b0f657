import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { type Answer, call, control, type Json } from "../support/gateway.ts";
import { createFolder } from "../support/folder.ts";
import payinRequest from "../../fixtures/requests/payin.json" with { type: "json" };

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
function pay(body: unknown, token?: string): Promise<Answer> {
  return call(sandbox, { path: "/_sandbox/pay", headers: { "x-api-token": token }, body });
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
    expect(await pay({ code: payin.qr_code }, "shop-b")).toMatchObject({ status: 404 });
    expect(await statusOf(payin)).toBe("waiting");
    expect(await pay({ code: payin.qr_code }, "shop-a")).toMatchObject({ status: 200 });
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
    "https://seasonal-deck-organisms-sf.trycloudflare.com",
    "https://ominous-space-waddle-7vrj4xq6pxhwq-7490.app.github.dev/pix/",
    "https://2804-14c-65d7-4d3a-1c2f-8b9e.ngrok-free.app",
    "https://7490-acmeinc-shop-abcdefghijk.ws-us118.gitpod.io",
  ])(
    "pays a code with the reserved host, beside a public URL that is too long: %s",
    async (publicUrl) => {
      const reported: string[] = [];
      await using tunnelled = await startSandbox({
        publicUrl,
        report: (line) => reported.push(line),
      });
      const { json } = await call(tunnelled, { path: "/v1/payins", body: payinRequest });
      const { qr_code: code } = json as Payin;

      expect(code).toContain("pix-sandbox.example/qr/v2/");
      expect(reported).toEqual([
        expect.stringContaining("The public URL is too long for BR Codes"),
      ]);
      const body = { code };
      expect(await call(tunnelled, { path: "/_sandbox/pay", body })).toMatchObject({ status: 200 });
      expect(await control(tunnelled, undefined, "GET /about")).toMatchObject({
        public_url: publicUrl.replace(/\/$/, ""),
      });
    },
  );

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

  it("answers 404 if the payin's code in the state file was edited by hand", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state");
    const first = await startSandbox({ stateFile });
    const { json } = await call(first, { path: "/v1/payins", body: payinRequest });
    await first.close();
    const { id, qr_code: code } = json as Payin;
    const stored = await readFile(stateFile, "utf8");
    await writeFile(stateFile, stored.replaceAll(code, code.replace("5204", "5204 ")));

    await using edited = await startSandbox({ stateFile });
    const path = "/_sandbox/pay";
    expect((await control(edited, undefined, `GET /payins/${id}`))["qr_code"]).not.toBe(code);
    expect(await call(edited, { path, body: { code } })).toMatchObject({ status: 404 });
  });

  it.each([
    ["63", FOREIGN_CODE.replace(/....$/, "0000")],
    ["code", "hello"],
  ])("names field %s of a malformed code", async (field, code) => {
    const [first, ...others] = errorOf(await pay({ code }))["errors"] as Json[];
    expect(others).toEqual([]);
    expect(first).toMatchObject({ field: "code", code: "INVALID_VALUE" });
    const where = field === "code" ? "This is not a BR Code" : `Field ${field} `;
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
