import { getPixPayloadInfo } from "@brazilian-utils/brazilian-utils";
import jsQR from "jsqr";
import { hasError, isDynamicPix, parsePix } from "pix-utils";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../../src/server/start.ts";
import { type Answer, call, control, type Json, recordsOf } from "../support/gateway.ts";
import { NOWHERE, PAYIN, PAYOUT, advance, create, createPayout, simulate } from "./answers.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TXID = /^[A-Za-z0-9]{32}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const PAYIN_ANSWER = {
  id: expect.stringMatching(UUID),
  pix_id: expect.stringMatching(TXID),
  acquirer_id: expect.stringMatching(UUID),
  qr_code: expect.stringMatching(/^000201/),
};

describe("a created payin", () => {
  it("has an image if generate_qrcode is true, which a scanner reads back", async () => {
    await using sandbox = await startSandbox();

    const payin = await createPayin(sandbox, { ...PAYIN, generate_qrcode: true });

    expect(payin).toEqual({
      ...PAYIN_ANSWER,
      qr_code_base64: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/),
    });
    expect(scan(Buffer.from(String(payin["qr_code_base64"]), "base64"))).toBe(payin["qr_code"]);
  });

  it("has defaults for what was not sent", async () => {
    await using sandbox = await startSandbox();

    const payin = await createPayin(sandbox, PAYIN, "shop");
    const record = await control(sandbox, "shop", `GET /payins/${String(payin["id"])}`);

    expect(record).toEqual({
      ...PAYIN,
      ...payin,
      generate_qrcode: false,
      expiration: 240,
      status: "waiting",
      created_at: expect.stringMatching(INSTANT),
      expires_at: expect.stringMatching(INSTANT),
      settled_at: null,
      end_to_end_id: null,
      integration: "shop",
    });
    expect(secondsBetween(record["created_at"], record["expires_at"])).toBe(240);
  });
});

describe("the BR code of a payin", () => {
  it.each([
    ["letters", latin1("ACME Pagamentos"), "ACME Pagamentos"],
    ["accents in UTF-8", utf8("Padaria São João"), "Padaria Sao Joao"],
    ["accents in Latin-1", latin1("Padaria São João"), "Padaria Sao Joao"],
    ["a last letter whose UTF-8 ends as a blank does", utf8("São Voilà"), "Sao Voila"],
    ["an ampersand", latin1("Silva & Filhos"), "Silva Filhos"],
    ["an emoji", utf8("Loja 🛒 Feliz"), "Loja Feliz"],
    ["nothing that can be written", utf8("🛒 店"), "PIX SANDBOX"],
    ["200 letters", latin1("a".repeat(200)), "a".repeat(25)],
    ["200 letters with accents", utf8("é".repeat(200)), "e".repeat(25)],
    ["200 emoji and a letter", utf8(`${"🛒".repeat(199)}Z`), "Z"],
  ])(
    "is one that two other parsers accept, for a provider of %s",
    async (_of, name, merchantName) => {
      await using sandbox = await startSandbox();

      const { json } = await call(sandbox, {
        path: "/v1/payins",
        headers: { "x-provider": name },
        body: PAYIN,
      });

      const { qr_code: code, pix_id: pixId } = json as { qr_code: string; pix_id: string };
      const said = {
        merchantName,
        merchantCity: "SAO PAULO",
        url: `pix-sandbox.example/qr/v2/${pixId}`,
      };
      expect(getPixPayloadInfo(code)).toEqual({ ...said, pointOfInitiation: "dynamic" });
      const parsed = parsePix(code);
      if (hasError(parsed) || !isDynamicPix(parsed)) throw new Error(`pix-utils refuses ${code}`);
      expect(parsed).toMatchObject(said);
    },
  );
});

describe("the configured webhook", () => {
  const FIRST = { webhook_url: `${NOWHERE}first`, events: ["payment.received"] };
  const SECOND = {
    webhook_url: `${NOWHERE}second`,
    events: ["payment.failed", "payment.received"],
  };

  it("is read without making an integration", async () => {
    await using sandbox = await startSandbox();

    expect(await readConfigured(sandbox, "reader")).toMatchObject({ status: 404 });

    const { data } = await control(sandbox, undefined, "GET /integrations");
    expect(data).toEqual([]);
  });

  it("is each integration's own", async () => {
    await using sandbox = await startSandbox();
    await configure(sandbox, FIRST, "one");

    expect(await readConfigured(sandbox, "other")).toMatchObject({ status: 404 });
    await configure(sandbox, SECOND, "other");

    expect((await readConfigured(sandbox, "one")).json).toEqual(FIRST);
    expect((await readConfigured(sandbox, "other")).json).toEqual(SECOND);
  });
});

describe("integrations", () => {
  it("do not see each other's records", async () => {
    await using sandbox = await startSandbox();
    const payin = await createPayin(sandbox, PAYIN, "one");
    const payout = await createPayout(sandbox, PAYOUT, "one");
    await simulate(sandbox, "payins", payin["id"], "completed", "one");
    const { data } = await control(sandbox, "one", "GET /deliveries");
    const [delivery] = data as Json[];
    const records = [
      `/_sandbox/payins/${String(payin["id"])}`,
      `/_sandbox/payouts/${String(payout["id"])}`,
      `/_sandbox/deliveries/${String(delivery?.["id"])}`,
    ];

    const look = (token: string | undefined) =>
      Promise.all(
        records.map((path) =>
          call(sandbox, { method: "GET", path, headers: { "x-api-token": token } }),
        ),
      );

    const statuses = async (token: string | undefined) =>
      (await look(token)).map(({ status }) => status);
    expect(await statuses("other")).toEqual([404, 404, 404]);
    expect(await statuses("one")).toEqual([200, 200, 200]);
    expect(await statuses(undefined)).toEqual([200, 200, 200]);
  });

  it("may be named as nothing else may be", async () => {
    await using sandbox = await startSandbox();

    for (const token of ["__proto__", "constructor", "toString", "null"]) {
      const { id } = await createPayin(sandbox, PAYIN, token);
      expect(await recordsOf(sandbox, token, "payins")).toEqual([
        expect.objectContaining({ id, integration: token }),
      ]);
    }
  });
});

describe("an unpaid payin", () => {
  it.each([20, 172_800])("waits for the requested %d seconds", async (expiration) => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    const { id } = await createPayin(sandbox, { ...PAYIN, expiration });
    const path = `GET /payins/${String(id)}`;

    await advance(sandbox, expiration - 1);
    expect(await control(sandbox, "sandbox", path)).toMatchObject({ status: "waiting" });
    await advance(sandbox, 1);

    expect(await control(sandbox, "sandbox", path)).toMatchObject({ status: "expired" });
  });
});

async function createPayin(sandbox: Sandbox, body: unknown, token?: string): Promise<Json> {
  return create(sandbox, { path: "/v1/payins", body, ...(token !== undefined && { token }) });
}

function configure(sandbox: Sandbox, body: unknown, token = "sandbox"): Promise<Answer> {
  return call(sandbox, { method: "PUT", path: "/v1/webhooks", token, body });
}

function readConfigured(sandbox: Sandbox, token = "sandbox"): Promise<Answer> {
  return call(sandbox, { method: "GET", path: "/v1/webhooks", token });
}

function scan(image: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(image);
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
}

function secondsBetween(start: unknown, end: unknown): number {
  return (Date.parse(String(end)) - Date.parse(String(start))) / 1000;
}

/** Header text whose bytes on the wire are UTF-8. */
function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Header text whose bytes on the wire are Latin-1, as Node sends headers. */
function latin1(text: string): string {
  return text;
}
