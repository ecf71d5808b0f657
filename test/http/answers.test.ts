import { getPixPayloadInfo } from "@brazilian-utils/brazilian-utils";
import jsQR from "jsqr";
import { hasError, isDynamicPix, parsePix } from "pix-utils";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../../src/server/start.ts";
import { type Answer, type Call, call, control, type Json, recordsOf } from "../support/gateway.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TXID = /^[A-Za-z0-9]{32}$/;
const END_TO_END_ID = /^E\d{20}[A-Za-z0-9]{11}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Nobody listens there: whether a webhook arrives is no matter of these tests. */
const NOWHERE = "http://127.0.0.1:9/";

const PAYIN = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
  webhook_url: NOWHERE,
};

const PAYOUT = {
  value: 25.75,
  receiver_cpf: "52998224725",
  receiver_name: "João Pereira",
  receiver_email: "joao@example.com",
  webhook_url: NOWHERE,
  pix_key: "52998224725",
  pix_key_type: "cpf",
};

const PAYIN_ANSWER = {
  id: expect.stringMatching(UUID),
  pix_id: expect.stringMatching(TXID),
  acquirer_id: expect.stringMatching(UUID),
  qr_code: expect.stringMatching(/^000201/),
};

describe("a created payin", () => {
  it.each(["/v1/payins", "/v2/payins"])(
    "is answered with the documented members and no other by %s",
    async (path) => {
      await using sandbox = await startSandbox();

      const answer = await call(sandbox, { path, body: PAYIN });

      expect(answer).toMatchObject({
        status: 200,
        headers: { "content-type": "application/json" },
      });
      expect(answer.json).toEqual(PAYIN_ANSWER);
      expect(answer.headers).not.toHaveProperty("idempotent-replayed");
    },
  );

  it("has no image if generate_qrcode is false", async () => {
    await using sandbox = await startSandbox();

    const payin = await createPayin(sandbox, { ...PAYIN, generate_qrcode: false });

    expect(payin).toEqual(PAYIN_ANSWER);
  });

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

  it("contains every member that was sent", async () => {
    await using sandbox = await startSandbox();
    const body = {
      ...PAYIN,
      description: "🛒".repeat(140),
      generate_qrcode: true,
      expiration: 172_800,
    };

    const { qr_code_base64: image, ...payin } = await createPayin(sandbox, body, "shop");
    const record = await control(sandbox, "shop", `GET /payins/${String(payin["id"])}`);

    expect(image).toBeTypeOf("string");
    expect(record).toEqual({
      ...body,
      ...payin,
      status: "waiting",
      created_at: expect.stringMatching(INSTANT),
      expires_at: expect.stringMatching(INSTANT),
      settled_at: null,
      end_to_end_id: null,
      integration: "shop",
    });
    expect(secondsBetween(record["created_at"], record["expires_at"])).toBe(172_800);
  });

  it("has ids of its own", async () => {
    await using sandbox = await startSandbox();

    const payins = await Promise.all(
      times(60, (index) => createPayin(sandbox, PAYIN, `shop-${index % 3}`)),
    );

    const ids = payins.flatMap(({ id, pix_id: pixId, acquirer_id: acquirerId }) => [
      id,
      pixId,
      acquirerId,
    ]);
    expect(new Set(ids).size).toBe(180);
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

describe("a created payout", () => {
  it("is answered with its id and waiting, and nothing else", async () => {
    await using sandbox = await startSandbox();

    const answer = await call(sandbox, { path: "/v1/payouts", body: PAYOUT });

    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(answer.json).toEqual({ id: expect.stringMatching(UUID), status: "waiting" });
    expect(answer.headers).not.toHaveProperty("idempotent-replayed");
  });

  it("contains every member that was sent", async () => {
    await using sandbox = await startSandbox();
    const body = { ...PAYOUT, description: "a".repeat(140) };

    const payout = await createPayout(sandbox, body, "shop");
    const record = await control(sandbox, "shop", `GET /payouts/${String(payout["id"])}`);

    expect(record).toEqual({
      ...body,
      id: payout["id"],
      status: "waiting",
      created_at: expect.stringMatching(INSTANT),
      settled_at: null,
      end_to_end_id: null,
      integration: "shop",
    });
  });
});

describe("a simulation", () => {
  it.each([
    ["payins", PAYIN, "completed", expect.stringMatching(END_TO_END_ID)],
    ["payouts", PAYOUT, "completed", expect.stringMatching(END_TO_END_ID)],
    ["payouts", PAYOUT, "canceled", null],
  ])(
    "of %s is answered with a message, and settles: %o as %s",
    async (noun, body, status, paid) => {
      await using sandbox = await startSandbox();
      const { json } = await call(sandbox, { path: `/v1/${noun}`, body });
      const { id } = json as Json;

      const answer = await simulate(sandbox, noun, id, status);

      expect(answer).toMatchObject({
        status: 200,
        headers: { "content-type": "application/json" },
      });
      expect(answer.json).toEqual({ message: `The charge was marked as ${status} in staging.` });
      expect(await control(sandbox, "sandbox", `GET /${noun}/${String(id)}`)).toMatchObject({
        status,
        settled_at: expect.stringMatching(INSTANT),
        end_to_end_id: paid,
      });
    },
  );

  it("happens once for a hundred simultaneous calls", async () => {
    await using sandbox = await startSandbox();
    const { id } = await createPayin(sandbox, PAYIN);

    const answers = await Promise.all(
      times(100, () => simulate(sandbox, "payins", id, "completed")),
    );

    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 422)).toHaveLength(99);
    const { data } = await control(sandbox, "sandbox", "GET /deliveries");
    expect(data).toEqual([expect.objectContaining({ type: "payin.paid", transaction_id: id })]);
  });
});

describe("the configured webhook", () => {
  const FIRST = { webhook_url: `${NOWHERE}first`, events: ["payment.received"] };
  const SECOND = {
    webhook_url: `${NOWHERE}second`,
    events: ["payment.failed", "payment.received"],
  };

  it("returns the new configuration, and a read returns the last one", async () => {
    await using sandbox = await startSandbox();

    expect(await configure(sandbox, FIRST)).toMatchObject({ status: 200, json: FIRST });
    expect(await readConfigured(sandbox)).toMatchObject({ status: 200, json: FIRST });
    const { json } = await configure(sandbox, { ...SECOND, note: "not documented" });

    expect(json).toEqual(SECOND);
    expect((await readConfigured(sandbox)).json).toEqual(SECOND);
  });

  it("is read without making an integration", async () => {
    await using sandbox = await startSandbox();

    expect(await readConfigured(sandbox, "reader")).toMatchObject({ status: 404 });

    const { data } = await control(sandbox, undefined, "GET /integrations");
    expect(data).toEqual([]);
  });

  it("stays as it was when a change of it is refused", async () => {
    await using sandbox = await startSandbox();
    await configure(sandbox, FIRST);

    const refused = await configure(sandbox, { ...SECOND, events: [] });

    expect(refused.status).toBe(400);
    expect((await readConfigured(sandbox)).json).toEqual(FIRST);
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

describe("an idempotency key", () => {
  it.each([
    ["payins", PAYIN],
    ["payins", { ...PAYIN, generate_qrcode: true }],
    ["payouts", PAYOUT],
  ] as const)("gives a repeat the first answer again: %s %o", async (noun, body) => {
    await using sandbox = await startSandbox();

    const first = await keyed(sandbox, `/v1/${noun}`, "order-1", body);
    const second = await keyed(sandbox, `/v1/${noun}`, "order-1", body);

    expect(first.status).toBe(200);
    expect(first.headers).not.toHaveProperty("idempotent-replayed");
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(await recordsOf(sandbox, "sandbox", noun)).toHaveLength(1);
  });

  it("does not mind the order of members, at any depth, nor blanks", async () => {
    await using sandbox = await startSandbox();
    const body = { ...PAYIN, note: { one: 1, other: [{ a: 1, b: 2 }] } };
    const turned = { note: { other: [{ b: 2, a: 1 }], one: 1 }, ...reversed(PAYIN) };

    const first = await keyed(sandbox, "/v1/payins", "order-1", body);
    const second = await keyed(sandbox, "/v1/payins", "order-1", JSON.stringify(turned, null, 2));

    expect(second.text).toBe(first.text);
    expect(second.headers["idempotent-replayed"]).toBe("true");
  });

  it.each([
    ["payins", PAYIN],
    ["payouts", PAYOUT],
  ] as const)("makes one record of a hundred calls at the same time: %s", async (noun, body) => {
    await using sandbox = await startSandbox();

    const answers = await Promise.all(
      times(100, () => keyed(sandbox, `/v1/${noun}`, "order-1", body)),
    );

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    const repeats = answers.filter(({ headers }) => headers["idempotent-replayed"] === "true");
    expect(repeats).toHaveLength(99);
    const records = await recordsOf(sandbox, "sandbox", noun);
    expect(records).toEqual([expect.objectContaining({ status: "waiting" })]);
  });

  it("gives the first answer again when the record has moved on", async () => {
    await using sandbox = await startSandbox();
    const first = await keyed(sandbox, "/v1/payouts", "order-1", PAYOUT);
    await simulate(sandbox, "payouts", (first.json as Json)["id"], "completed");

    const second = await keyed(sandbox, "/v1/payouts", "order-1", PAYOUT);

    expect(second.text).toBe(first.text);
  });

  it("is another integration's to use", async () => {
    await using sandbox = await startSandbox();

    const one = await keyed(sandbox, "/v1/payins", "order-1", PAYIN, "one");
    const other = await keyed(sandbox, "/v1/payins", "order-1", { ...PAYIN, value: 1 }, "other");

    expect(other.status).toBe(200);
    expect(other.headers).not.toHaveProperty("idempotent-replayed");
    expect((other.json as Json)["id"]).not.toBe((one.json as Json)["id"]);
  });

  it("is not taken by a call that is refused", async () => {
    await using sandbox = await startSandbox();

    const refused = await keyed(sandbox, "/v1/payins", "order-1", { ...PAYIN, value: 0 });
    const corrected = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    expect(refused.status).toBe(400);
    expect(corrected.status).toBe(200);
    expect(corrected.headers).not.toHaveProperty("idempotent-replayed");
  });

  it("is not taken by a payout that the receiver's other payout forbids", async () => {
    await using sandbox = await startSandbox({ assumptions: { "payout.rival": "reject" } });
    const { id } = await createPayout(sandbox, PAYOUT);

    const refused = await keyed(sandbox, "/v1/payouts", "order-2", PAYOUT);
    await simulate(sandbox, "payouts", id, "completed");
    const retried = await keyed(sandbox, "/v1/payouts", "order-2", PAYOUT);

    expect(refused).toMatchObject({ status: 422, json: { code: "NOT_PROCESSABLE" } });
    expect(retried.status).toBe(200);
    expect(retried.headers).not.toHaveProperty("idempotent-replayed");
  });

  it("still repeats the first call after another request was refused under it", async () => {
    await using sandbox = await startSandbox();
    const first = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    const other = await keyed(sandbox, "/v1/payins", "order-1", { ...PAYIN, value: 11 });
    const repeat = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    expect(other.status).toBe(409);
    expect(repeat.text).toBe(first.text);
  });

  it("may be any text", async () => {
    await using sandbox = await startSandbox();
    const keys = ["7".repeat(256), "__proto__", "constructor", "toString", "pedido çã", "a b"];

    const ids = [];
    for (const key of keys) {
      const first = await keyed(sandbox, "/v1/payins", key, PAYIN);
      const second = await keyed(sandbox, "/v1/payins", key, PAYIN);
      expect(second.text).toBe(first.text);
      expect(second.headers["idempotent-replayed"]).toBe("true");
      ids.push((first.json as Json)["id"]);
    }

    expect(new Set(ids).size).toBe(keys.length);
  });

  it("is remembered for a day, and no longer", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    const first = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    await advance(sandbox, 86_399);
    const repeat = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);
    await advance(sandbox, 1);
    const anew = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);
    const again = await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    expect(repeat.text).toBe(first.text);
    expect(anew.status).toBe(200);
    expect(anew.headers).not.toHaveProperty("idempotent-replayed");
    expect((anew.json as Json)["id"]).not.toBe((first.json as Json)["id"]);
    expect(again.text).toBe(anew.text);
    expect(await recordsOf(sandbox, "sandbox", "payins")).toHaveLength(2);
  });

  it("is free again for another request after a day", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    await keyed(sandbox, "/v1/payins", "order-1", PAYIN);

    await advance(sandbox, 86_400);
    const other = await keyed(sandbox, "/v1/payouts", "order-1", PAYOUT);

    expect(other.status).toBe(200);
    expect(other.headers).not.toHaveProperty("idempotent-replayed");
  });
});

describe("payouts to one receiver", () => {
  it("are one in progress and the others canceled, although all responses are waiting", async () => {
    await using sandbox = await startSandbox({ assumptions: { "webhook.retries": "none" } });

    const answers = await Promise.all(times(100, () => createPayout(sandbox, PAYOUT)));

    expect(answers.map(({ status }) => status)).toEqual(times(100, () => "waiting"));
    const records = await recordsOf(sandbox, "sandbox", "payouts");
    expect(records.map(({ status }) => status)).toEqual([
      "waiting",
      ...times(99, () => "canceled"),
    ]);
    const ids = (rows: readonly Json[]) => rows.map(({ id }) => String(id)).toSorted();
    expect(ids(records)).toEqual(ids(answers));
  });

  it("follow one another when each is settled before the next", async () => {
    await using sandbox = await startSandbox();

    for (const outcome of ["completed", "canceled", "completed"]) {
      const { id } = await createPayout(sandbox, PAYOUT);
      expect(await simulate(sandbox, "payouts", id, outcome)).toMatchObject({ status: 200 });
    }

    const records = await recordsOf(sandbox, "sandbox", "payouts");
    expect(records.map(({ status }) => status)).toEqual(["completed", "canceled", "completed"]);
  });

  it("do not disturb those to others, nor those of another integration", async () => {
    await using sandbox = await startSandbox();
    const other = { ...PAYOUT, receiver_cpf: "11144477735" };

    await createPayout(sandbox, PAYOUT, "one");
    await createPayout(sandbox, other, "one");
    await createPayout(sandbox, PAYOUT, "other");

    const records = await recordsOf(sandbox, undefined, "payouts");
    expect(records.map(({ status }) => status)).toEqual(["waiting", "waiting", "waiting"]);
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

  it("list their own records, and without a token all are listed", async () => {
    await using sandbox = await startSandbox();
    const one = await createPayin(sandbox, PAYIN, "one");
    const other = await createPayin(sandbox, PAYIN, "other");

    const listed = async (token: string | undefined) =>
      (await recordsOf(sandbox, token, "payins")).map(({ id }) => id);

    expect(await listed("one")).toEqual([one["id"]]);
    expect(await listed("other")).toEqual([other["id"]]);
    expect(await listed("nobody")).toEqual([]);
    expect(await listed(undefined)).toEqual([one["id"], other["id"]]);
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
  it("is expired exactly when its expiration is over", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    const { id } = await createPayin(sandbox, PAYIN);
    const path = `GET /payins/${String(id)}`;
    const created = await control(sandbox, "sandbox", path);

    await advance(sandbox, 239);
    expect(await control(sandbox, "sandbox", path)).toEqual(created);
    await advance(sandbox, 1);

    expect(await control(sandbox, "sandbox", path)).toEqual({
      ...created,
      status: "expired",
      settled_at: created["expires_at"],
    });
  });

  it("can be completed a second before, and not when it is over", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    const [early, late] = [await createPayin(sandbox, PAYIN), await createPayin(sandbox, PAYIN)];

    await advance(sandbox, 239);
    const inTime = await simulate(sandbox, "payins", early["id"], "completed");
    await advance(sandbox, 1);
    const tooLate = await simulate(sandbox, "payins", late["id"], "completed");

    expect(inTime.status).toBe(200);
    expect(tooLate.status).toBe(422);
    expect(tooLate.json).toEqual({
      message: "A payin that is expired cannot become completed.",
      code: "NOT_PROCESSABLE",
      errors: [
        {
          message: "A payin that is expired cannot become completed.",
          code: "NOT_PROCESSABLE",
          field: "transaction_id",
        },
      ],
    });
    const records = await recordsOf(sandbox, "sandbox", "payins");
    expect(records.map(({ status }) => status)).toEqual(["completed", "expired"]);
  });

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

async function createPayout(sandbox: Sandbox, body: unknown, token?: string): Promise<Json> {
  return create(sandbox, { path: "/v1/payouts", body, ...(token !== undefined && { token }) });
}

async function create(sandbox: Sandbox, request: Call): Promise<Json> {
  const answer = await call(sandbox, request);
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Json;
}

function keyed(
  sandbox: Sandbox,
  path: string,
  key: string,
  body: unknown,
  token = "sandbox",
): Promise<Answer> {
  return call(sandbox, { path, token, headers: { "x-idempotency-key": key }, body });
}

function simulate(
  sandbox: Sandbox,
  noun: string,
  id: unknown,
  status: string,
  token = "sandbox",
): Promise<Answer> {
  const body = { transaction_id: id, status };
  return call(sandbox, { path: `/v1/${noun}/simulations`, token, body });
}

function configure(sandbox: Sandbox, body: unknown, token = "sandbox"): Promise<Answer> {
  return call(sandbox, { method: "PUT", path: "/v1/webhooks", token, body });
}

function readConfigured(sandbox: Sandbox, token = "sandbox"): Promise<Answer> {
  return call(sandbox, { method: "GET", path: "/v1/webhooks", token });
}

function advance(sandbox: Sandbox, seconds: number): Promise<Json> {
  return control(sandbox, undefined, "POST /clock/advance", { seconds });
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

function reversed(members: Json): Json {
  return Object.fromEntries(Object.entries(members).toReversed());
}

function times<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
