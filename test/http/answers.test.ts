import jsQR from "jsqr";
import { PNG } from "pngjs";
import { afterAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";
import { BUYER, RECEIVER } from "../support/calls.ts";
import { call, control, type Json, recordsOf } from "../support/gateway.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TXID = /^[A-Za-z0-9]{32}$/;

/** Nobody listens there: whether a webhook arrives is no matter of these tests. */
const NOWHERE = "http://127.0.0.1:9/";
const PAYIN = { ...BUYER, webhook_url: NOWHERE };
const PAYOUT = { ...RECEIVER, webhook_url: NOWHERE };

/** Each test has integrations of its own. */
const sandbox = await startSandbox({ clock: "frozen" });
afterAll(() => sandbox.close());

async function create(noun: string, token: string, body: object, headers = {}): Promise<Json> {
  const answer = await call(sandbox, { path: `/v1/${noun}`, token, headers, body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Json;
}

describe("a created payin", () => {
  it("has an image if generate_qrcode is true, which a scanner reads back", async () => {
    const payin = await create("payins", "image", { ...PAYIN, generate_qrcode: true });
    expect(payin).toEqual({
      id: expect.stringMatching(UUID),
      pix_id: expect.stringMatching(TXID),
      acquirer_id: expect.stringMatching(UUID),
      qr_code: expect.stringMatching(/^000201/),
      qr_code_base64: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/),
    });
    const image = PNG.sync.read(Buffer.from(String(payin["qr_code_base64"]), "base64"));
    const { data, width, height } = image;
    expect(jsQR.default(new Uint8ClampedArray(data), width, height)?.data).toBe(payin["qr_code"]);
  });

  it("has defaults for what was not sent", async () => {
    const payin = await create("payins", "defaults", PAYIN);
    const now = sandbox.clock.nowMs();
    expect(await control(sandbox, "defaults", `GET /payins/${String(payin["id"])}`)).toEqual({
      ...PAYIN,
      ...payin,
      generate_qrcode: false,
      expiration: 240,
      status: "waiting",
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + 240_000).toISOString(),
      settled_at: null,
      end_to_end_id: null,
      integration: "defaults",
    });
  });

  it.each([
    ["UTF-8", "Padaria São João", "Padaria Sao Joao"],
    ["Latin-1", "Padaria São João", "Padaria Sao Joao"],
    ["UTF-8 whose last byte looks like a blank", "São Voilà", "Sao Voila"],
  ])("has the provider's name in its code: in %s", async (encoding, name, merchantName) => {
    // Node sends each character of a header as one byte.
    const bytes = Buffer.from(name, encoding === "Latin-1" ? "latin1" : "utf8");
    const headers = { "x-provider": bytes.toString("latin1") };
    const { qr_code } = await create("payins", "name", PAYIN, headers);
    expect(qr_code).toContain(
      `59${merchantName.length.toString().padStart(2, "0")}${merchantName}60`,
    );
  });

  it.each([20, 172_800])(
    "waits for %d seconds, and is expired at that very millisecond",
    async (expiration) => {
      const { id } = await create("payins", "expiry", { ...PAYIN, expiration });
      const read = () => control(sandbox, "expiry", `GET /payins/${String(id)}`);
      await control(sandbox, "expiry", "POST /clock/advance", { seconds: expiration - 0.001 });
      expect(await read()).toMatchObject({ status: "waiting" });
      await control(sandbox, "expiry", "POST /clock/advance", { seconds: 0.001 });
      const body = { transaction_id: id, status: "completed" };
      const late = { path: "/v1/payins/simulations", token: "expiry", body };
      expect(await call(sandbox, late)).toMatchObject({ status: 422 });
      const record = await read();
      expect(record).toMatchObject({ status: "expired", settled_at: record["expires_at"] });
    },
  );
});

it.each([
  ["payins", PAYIN],
  ["payins", { ...PAYIN, generate_qrcode: true }],
  ["payouts", PAYOUT],
] as const)("a repeat gets the first response again, byte by byte: %s %o", async (noun, body) => {
  const token = `repeat-${noun}-${Object.keys(body).length}`;
  const headers = { "x-idempotency-key": "order-1" };
  const send = () => call(sandbox, { path: `/v1/${noun}`, token, headers, body });
  const first = await send();
  expect(first.headers).not.toHaveProperty("idempotent-replayed");
  expect(await send()).toMatchObject({
    status: 200,
    text: first.text,
    headers: { "idempotent-replayed": "true" },
  });
  expect(await recordsOf(sandbox, token, noun)).toHaveLength(1);
});

describe("integrations", () => {
  it("have webhook configurations of their own; reading one makes no integration", async () => {
    const request = { path: "/v1/webhooks", token: "reader" };
    const read = (token: string) => call(sandbox, { ...request, method: "GET", token });
    expect(await read("reader")).toMatchObject({ status: 404 });
    const { data } = await control(sandbox, undefined, "GET /integrations");
    expect(data).not.toContainEqual({ integration: "reader" });

    const bodies = {
      reader: { webhook_url: `${NOWHERE}first`, events: ["payment.received"] },
      other: { webhook_url: `${NOWHERE}second`, events: ["payment.failed", "payment.received"] },
    };
    for (const [token, body] of Object.entries(bodies)) {
      expect(await read(token)).toMatchObject({ status: 404 });
      await call(sandbox, { ...request, method: "PUT", token, body });
    }
    for (const [token, body] of Object.entries(bodies))
      expect((await read(token)).json).toEqual(body);
  });

  it("may be named as nothing else may be", async () => {
    for (const token of ["__proto__", "constructor", "toString", "null"]) {
      const { id } = await create("payins", token, PAYIN);
      expect(await recordsOf(sandbox, token, "payins")).toEqual([
        expect.objectContaining({ id, integration: token }),
      ]);
    }
  });
});
