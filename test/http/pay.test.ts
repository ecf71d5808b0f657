import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { accountWith, codeWith } from "../support/br-codes.ts";
import { type Answer, call, control, type Json } from "../support/gateway.ts";
import { createFolder } from "../support/folder.ts";
import payinRequest from "../../fixtures/requests/payin.json" with { type: "json" };

/** A charge of the central bank's manual, and a key that anyone can pay to. */
const FOREIGN_CODE = codeWith({});
const STATIC_CODE = codeWith({ "01": undefined, "26": accountWith("01", "maria@example.com") });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

interface Payin {
  readonly id: string;
  readonly qr_code: string;
}

async function createPayin(token = "shop", on = sandbox): Promise<Payin> {
  const { json } = await call(on, { path: "/v1/payins", token, body: payinRequest });
  return json as Payin;
}

/** @param token the integration; by default all */
function pay(body: unknown, token?: string, on = sandbox): Promise<Answer> {
  return call(on, { path: "/_sandbox/pay", headers: { "x-api-token": token }, body });
}

async function statusOf({ id }: Payin): Promise<unknown> {
  return (await control(sandbox, undefined, `GET /payins/${id}`))["status"];
}

async function refusalOf(body: unknown): Promise<Json> {
  const { status, json } = await pay(body);
  return { ...(json as Json), status };
}

const containing = (text: string) => expect.stringContaining(text) as string;

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
    expect(await refusalOf({ code })).toMatchObject({ status: 422, code: "NOT_PROCESSABLE" });
  });

  it("pays a code that was created under another public address", async () => {
    await using other = await startSandbox({ publicUrl: "https://pix.example.test/shop" });
    const { qr_code: code } = await createPayin("shop", other);
    expect(await pay({ code }, undefined, other)).toMatchObject({ status: 200 });
    const message = "not of this sandbox: its location is pix.example.test/";
    expect(await refusalOf({ code })).toMatchObject({ status: 404, message: containing(message) });
  });

  it.each([
    "https://ominous-space-waddle-7vrj4xq6pxhwq-7490.app.github.dev/pix/",
    "https://2804-14c-65d7-4d3a-1c2f-8b9e.ngrok-free.app",
  ])(
    "pays a code with the reserved host, beside a public URL that is too long: %s",
    async (publicUrl) => {
      const report = vi.fn<(line: string) => void>();
      await using tunnelled = await startSandbox({ publicUrl, report });
      const { qr_code: code } = await createPayin("shop", tunnelled);
      expect(code).toContain("pix-sandbox.example/qr/v2/");
      const told = containing("The public URL is too long for BR Codes");
      expect(report.mock.calls).toEqual([[told]]);
      expect(await pay({ code }, undefined, tunnelled)).toMatchObject({ status: 200 });
      expect(await control(tunnelled, undefined, "GET /about")).toMatchObject({
        public_url: publicUrl.replace(/\/$/, ""),
      });
    },
  );

  it("answers 404 for the code of a payin that a reset deleted", async () => {
    const { qr_code: code } = await createPayin("reset-shop");
    await control(sandbox, "reset-shop", "POST /reset");
    const message = containing("No payin has this code.");
    expect(await refusalOf({ code })).toMatchObject({ status: 404, message });
  });

  it("answers 404 if the payin's code in the state file was edited by hand", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state");
    const first = await startSandbox({ stateFile });
    const { id, qr_code: code } = await createPayin("shop", first);
    await first.close();
    const stored = await readFile(stateFile, "utf8");
    await writeFile(stateFile, stored.replaceAll(code, code.replace("5204", "5204 ")));

    await using edited = await startSandbox({ stateFile });
    expect((await control(edited, undefined, `GET /payins/${id}`))["qr_code"]).not.toBe(code);
    expect(await pay({ code }, undefined, edited)).toMatchObject({ status: 404 });
  });

  it.each<[body: object, status: number, message: string, field: string, code: string]>([
    [{ code: FOREIGN_CODE }, 404, "not of this sandbox"],
    [{ code: STATIC_CODE }, 404, "no location (26-25)"],
    [{ code: FOREIGN_CODE.replace(/....$/, "0000") }, 400, "Field 63 ", "code", "INVALID_VALUE"],
    [{ code: "hello" }, 400, "This is not a BR Code", "code", "INVALID_VALUE"],
    [{ code: "0".repeat(600) }, 400, "has up to 512 characters", "code", "INVALID_VALUE"],
    [{}, 400, "", "code", "REQUIRED_VALUE"],
    [{ code: " " }, 400, "", "code", "EMPTY_VALUE"],
    [{ code: 1 }, 400, "", "code", "INVALID_VALUE"],
    [{ code: FOREIGN_CODE, id: "1" }, 400, "", "id", "INVALID_VALUE"],
  ] as never)("refuses %j with %i: %s", async (body, status, message, field, code) => {
    const told = containing(message);
    expect(await refusalOf(body)).toMatchObject(
      status === 404
        ? { status, code: "NOT_PROCESSABLE", message: told, errors: [] }
        : { status, code: "VALIDATION_ERROR", errors: [{ field, code, message: told }] },
    );
  });
});
