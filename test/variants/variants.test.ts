import { readdirSync, readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { deviationIds, type DeviationId } from "./deviations.ts";
import { OBSERVABLE, ROWS, rowNames, type Choices, type Row } from "./rows.ts";
import { drawVariant, startVariant } from "./start-variant.ts";
import { visit, type Seen, type Visit } from "./visit.ts";

const INVALID_CPF = "12345678901";
const LONG_EMAIL = `${"a".repeat(70)}@example.com`;
const UUID_V1 = "123e4567-e89b-12d3-a456-426655440000";
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const KEY = { "x-idempotency-key": "the key" };
const FOREIGN = { "x-api-token": "foreign" };
/** The speed of a variant for a look that waits until time has passed. */
const FAST = 200;
/** No attempt of a webhook times out by itself, however fast the variant. */
const PATIENT = { speed: FAST, given: { "webhook.timeout_seconds": "86400" } };

interface Look {
  readonly look: (visitor: Visit) => Promise<unknown>;
  readonly given?: Partial<Choices>;
  /** How many of the variant's seconds pass in a real one. */
  readonly speed?: number;
}
/** What a client sees with each choice. */
interface RowLook extends Look {
  readonly sees: Readonly<Record<string, unknown>>;
}
/** What a client usually sees, and what it sees with the deviation. */
interface DeviationLook extends Look {
  readonly usual: unknown;
  readonly other: unknown;
}

const ROW_LOOKS: Record<Row, RowLook> = {
  "value.unit": {
    look: (to) => statuses([10.5, 10, 0.1 + 0.2, 0].map((value) => to.payin({ value }))),
    sees: { reais: [200, 200, 200, 400], centavos: [400, 200, 400, 400] },
  },
  country_code: {
    look: (to) =>
      statuses(["br", "PT", "BRA"].map((code) => to.payin({}, { "x-country-code": code }))),
    sees: { two_letters: [200, 200, 400], br_only: [200, 400, 400] },
  },
  "cpf.check": {
    look: (to) =>
      statuses([INVALID_CPF, "52998224725"].map((buyer_cpf) => to.payin({ buyer_cpf }))),
    sees: { shape: [200, 200], check_digits: [400, 200] },
  },
  "phone.size": {
    look: (to) =>
      statuses(["+5511987654321", "+551198765432"].map((key) => payoutTo(to, "phone", key))),
    sees: { either: [200, 200], words: [200, 400], size: [400, 200] },
    given: { "payout.rival": "allow" },
  },
  "evp.form": {
    look: (to) => statuses([UUID_V1, UNKNOWN_ID].map((key) => payoutTo(to, "evp", key))),
    sees: { any: [200, 200], lower_v4: [400, 200] },
    given: { "payout.rival": "allow" },
  },
  "email.size": {
    look: async (to) => (await to.payin({ buyer_email: LONG_EMAIL })).status,
    sees: { any: 200, "77": 400 },
  },
  "payin.generate_qrcode": {
    look: async (to) => "qr_code_base64" in (await to.payin()).body,
    sees: { false: false, true: true },
  },
  "qr_code_base64.form": {
    look: async (to) => (await imageOf(to)).slice(0, 10),
    sees: { bare: "iVBORw0KGg", data_uri: "data:image" },
  },
  "payin.v2": {
    async look(to) {
      const { status, headers, body } = await to.call("POST /v2/payins", { value: 1 });
      return [status, headers.get("content-type"), body["code"], body.errors?.length];
    },
    sees: { only: [400, "application/problem+json", "VALIDATION_ERROR", 4] },
  },
  "payin.simulation_status": {
    async look(to) {
      const { body } = await to.payin();
      return (await to.simulate("payins", body["id"], "canceled")).status;
    },
    sees: { completed_only: 400, also_canceled: 200 },
  },
  "payin.paid_status": {
    look: async (to) => (await paidPayin(to)).body["data"],
    sees: {
      paid: expect.objectContaining({ status: "completed" }),
      completed: expect.objectContaining({ status: "completed" }),
    },
  },
  "payin.expiry_event": {
    async look(to) {
      await to.payin({ expiration: 20 });
      await to.pass(100);
      return to.hits.filter(({ path }) => path === "/hook").map(({ body }) => body["type"]);
    },
    sees: { none: [], webhook: ["payin.expired"] },
    ...PATIENT,
  },
  "payout.recipient": {
    async look(to) {
      await to.payout();
      const sameCpf = await payoutTo(to, "email", "other@example.com");
      const sameKey = await to.payout({ receiver_cpf: "11144477735", pix_key: "ANA@example.com" });
      return [sameCpf.status, sameKey.status];
    },
    sees: { receiver_cpf: [422, 200], pix_key: [200, 422] },
    given: { "payout.rival": "reject" },
  },
  "payout.rival": {
    async look(to) {
      await to.payout();
      const { status, body } = await to.payout();
      if (status !== 200) return status;
      return [body["status"], (await to.simulate("payouts", body["id"])).status];
    },
    sees: { cancel: ["waiting", 422], reject: 422, allow: ["waiting", 200] },
  },
  "payout.auto": {
    async look(to) {
      const { body } = await to.payout();
      await to.pass(100);
      return (await to.simulate("payouts", body["id"])).status;
    },
    sees: { never: 200, "complete_after:5": 422, "complete_after:3600": 200 },
    speed: FAST,
  },
  environment: {
    async look(to) {
      const { status, body } = await to.simulate("payins", UNKNOWN_ID);
      return [status, body["code"], body.errors?.length];
    },
    sees: { staging: [422, "NOT_PROCESSABLE", 1], production: [422, "NOT_PROCESSABLE", 0] },
  },
  "simulation.final": {
    async look(to) {
      await paidPayin(to);
      const [id, unknown] = [to.hits[0]?.body["data"] as { id: string }, UNKNOWN_ID];
      const again = [await to.simulate("payins", id.id), await to.simulate("payins", unknown)];
      return [...again.map(({ status }) => status), to.hits.length];
    },
    sees: { reject: [422, 422, 1], repeat: [200, 422, 1] },
  },
  "simulation.message": {
    async look(to) {
      const { body } = await to.payout();
      return (await to.simulate("payouts", body["id"])).body;
    },
    sees: { only: { message: expect.stringContaining("charge") } },
  },
  "header.missing": {
    async look(to) {
      const headers = { "x-provider": undefined, "x-provider-id": " " };
      const { status, body } = await to.payin({}, headers);
      return [status, body["code"], body.errors?.map(({ field, code }) => `${field} ${code}`)];
    },
    sees: {
      validation: [
        400,
        "VALIDATION_ERROR",
        ["x-provider-id EMPTY_VALUE", "x-provider REQUIRED_VALUE"],
      ],
      unauthorized: [
        401,
        "NO_ACTIVE_CREDENTIAL",
        ["x-provider-id EMPTY_VALUE", "x-provider REQUIRED_VALUE"],
      ],
    },
  },
  credentials: {
    look: (to) =>
      statuses([FOREIGN, { "x-provider-id": "foreign" }, {}].map((one) => to.payin({}, one))),
    sees: { any: [200, 200, 200], listed: [401, 401, 200] },
  },
  "error.status": {
    look: async (to) => (await to.simulate("payins", UNKNOWN_ID)).status,
    sees: { distinct: 422, always_400: 400 },
  },
  "error.language": {
    look: async (to) => (await to.payin({ value: -1 })).body["message"],
    sees: { en: "There are errors in the request.", pt: "Existem erros na requisição." },
  },
  unknown_field: {
    look: async (to) => (await to.payin({ metadata: {} })).status,
    sees: { ignore: 200, reject: 400 },
  },
  "idempotency.repeat": {
    look: (to) => keyUsedAgain(to, {}),
    sees: { replay: [200, "true", true], reject: [409, null, "DUPLICATED_VALUE"] },
  },
  "idempotency.mismatch": {
    look: (to) => keyUsedAgain(to, { value: 11 }),
    sees: { replay: [200, "true", true], reject: [409, null, "DUPLICATED_VALUE"] },
  },
  "idempotency.retention_seconds": {
    async look(to) {
      const { body } = await to.payin({}, KEY);
      await to.pass(70);
      return (await to.payin({}, KEY)).body["id"] === body["id"];
    },
    sees: { "86400": true, "3600": true, "60": false },
    speed: FAST,
  },
  "webhook.configuration": {
    async look(to) {
      const wanted = { webhook_url: to.hookUrl, events: ["payment.received"] };
      const before = await to.call("GET /webhooks");
      const { status } = await to.call("PUT /webhooks", wanted);
      const after = await to.call("GET /webhooks");
      await paidPayin(to);
      await to.webhook("payment.received");
      return [before.status, status, after.body["events"]];
    },
    sees: { only: [404, 200, ["payment.received"]] },
  },
  "webhook.payload": {
    async look(to) {
      const { method, body } = await paidPayin(to);
      return [method, Object.keys(body), Object.keys(body["data"] as object).slice(0, 3)];
    },
    sees: {
      only: ["POST", ["id", "type", "created_at", "data"], ["id", "status", "generate_qrcode"]],
    },
  },
  "webhook.signature": {
    async look(to) {
      const { text, headers } = await paidPayin(to);
      if (headers["webhook-signature"] === undefined) return "none";
      const verifier = new Webhook(to.variant.credential.api_secret);
      return verifier.verify(text, headers as Record<string, string>);
    },
    sees: { standard_webhooks: expect.objectContaining({ type: "payin.paid" }), none: "none" },
  },
  "webhook.success": {
    look: (to) => attemptsUntil(to, 100, (attempt) => (attempt === 0 ? 204 : 200)),
    sees: { "2xx": 1, only_200: 2 },
    ...PATIENT,
  },
  "webhook.timeout_seconds": {
    look: async (to) => (await attemptsUntil(to, 100, (attempt) => (attempt ? 200 : null))) > 1,
    sees: { "10": true, "5": true, "2": true, "3600": false },
    speed: FAST,
  },
  "webhook.retries": {
    look: (to) => attemptsUntil(to, 160, () => 500),
    sees: { laptop: 4, production: 2, none: 1 },
    ...PATIENT,
  },
  "rate_limit.per_minute": {
    async look(to) {
      const seen = [await to.payin({}, KEY), await to.payin({}, KEY), await to.payin({ value: 0 })];
      seen.push(await to.payin(), await to.payin());
      return seen.map(({ status, headers }) => [status, headers.has("retry-after")].join(" "));
    },
    sees: {
      "0": ["200 false", "200 false", "400 false", "200 false", "200 false"],
      "2": ["200 false", "200 false", "400 false", "200 false", "429 true"],
    },
  },
};

const LISTED: Partial<Choices> = { credentials: "listed" };
const isIn = (member: string) => async (seen: Promise<Seen>) => member in (await seen).body;
const refusal = async (to: Visit) => Object.keys((await to.payin({ value: 0 })).body);
const created = async (seen: Promise<Seen>) => (await seen).status;
const entries = async (seen: Promise<Seen>) =>
  (await seen).body.errors?.map(({ field, code }) => `${field} ${code}`);

const DEVIATION_LOOKS: Record<DeviationId, DeviationLook> = {
  "payin.created_201": { look: (to) => created(to.payin()), usual: 200, other: 201 },
  "payin.without_acquirer_id": {
    look: (to) => isIn("acquirer_id")(to.payin()),
    usual: true,
    other: false,
  },
  "payin.undocumented_status": {
    look: (to) => isIn("status")(to.payin()),
    usual: false,
    other: true,
  },
  "payin.brcode_with_amount": {
    look: async (to) => String((await to.payin()).body["qr_code"]).includes("540510.00"),
    usual: false,
    other: true,
  },
  "payin.svg": {
    look: async (to) => Buffer.from(await imageOf(to), "base64").includes("<svg"),
    usual: false,
    other: true,
  },
  "payout.created_201": { look: (to) => created(to.payout()), usual: 200, other: 201 },
  "payout.processing": {
    look: async (to) => (await to.payout()).body["status"],
    usual: "waiting",
    other: "processing",
  },
  "payout.answered_canceled": {
    async look(to) {
      await to.payout();
      return (await to.payout()).body["status"];
    },
    usual: "waiting",
    other: "canceled",
  },
  "limit.expiration_from_60": {
    look: (to) => created(to.payin({ expiration: 20 })),
    usual: 200,
    other: 400,
  },
  "limit.expiration_default_3600": {
    look: async (to) =>
      ((await paidPayin(to)).body["data"] as Record<string, unknown>)["expiration"],
    usual: 240,
    other: 3600,
  },
  "limit.description_100": {
    look: (to) => created(to.payin({ description: "é".repeat(101) })),
    usual: 200,
    other: 400,
  },
  "errors.message_only": {
    look: refusal,
    usual: ["message", "code", "errors"],
    other: ["message"],
  },
  "errors.absent": {
    look: refusal,
    usual: ["message", "code", "errors"],
    other: ["message", "code"],
  },
  "errors.without_field": {
    look: (to) => entries(to.payin({ value: 0 })),
    usual: ["value INVALID_VALUE"],
    other: ["undefined INVALID_VALUE"],
  },
  "errors.first_only": {
    look: (to) => entries(to.payin({ value: 0, buyer_cpf: "" })),
    usual: ["value INVALID_VALUE", "buyer_cpf EMPTY_VALUE"],
    other: ["value INVALID_VALUE"],
  },
  "errors.empty_is_required": {
    look: (to) => entries(to.payin({ description: null })),
    usual: ["description EMPTY_VALUE"],
    other: ["description REQUIRED_VALUE"],
  },
  "errors.validation_422": {
    look: (to) => created(to.payin({ value: 0 })),
    usual: 400,
    other: 422,
  },
  "errors.credential_403": {
    look: (to) => created(to.payin({}, FOREIGN)),
    usual: 401,
    other: 403,
    given: LISTED,
  },
  "order.credential_before_body": {
    look: (to) => created(to.payin({ value: 0 }, FOREIGN)),
    usual: 400,
    other: 401,
    given: LISTED,
  },
  "order.key_before_body": {
    async look(to) {
      await to.payin({}, KEY);
      return (await to.payin({ value: 0 }, KEY)).status;
    },
    usual: 400,
    other: 409,
  },
  "keys.other_header": {
    look: (to) => keyUsedAgain(to, {}),
    usual: [200, "true", true],
    other: [200, null, true],
  },
  "keys.refused_422": {
    look: (to) => keyUsedAgain(to, { value: 11 }),
    usual: [409, null, "DUPLICATED_VALUE"],
    other: [422, null, "NOT_PROCESSABLE"],
  },
  "simulation.answered_202": {
    look: async (to) =>
      to.simulate("payins", (await to.payin()).body["id"]).then(({ status }) => status),
    usual: 200,
    other: 202,
  },
  "simulation.without_message": {
    look: async (to) => isIn("message")(to.simulate("payins", (await to.payin()).body["id"])),
    usual: true,
    other: false,
  },
  "simulation.unknown_404": {
    look: (to) => created(to.simulate("payins", UNKNOWN_ID)),
    usual: 422,
    other: 404,
  },
  "simulation.production_403": {
    look: (to) => created(to.simulate("payins", UNKNOWN_ID)),
    usual: 422,
    other: 403,
    given: { environment: "production" },
  },
  "webhook.by_put": {
    look: async (to) => (await paidPayin(to)).method,
    usual: "POST",
    other: "PUT",
  },
  "webhook.without_envelope": {
    look: async (to) => "data" in (await paidPayin(to)).body,
    usual: true,
    other: false,
  },
  "webhook.hex_signature": {
    async look(to) {
      const { headers } = await paidPayin(to);
      return Object.keys(headers).filter((name) => /signature/.test(name));
    },
    usual: ["webhook-signature"],
    other: ["x-signature"],
  },
  "webhook.retries_after_3": {
    look: (to) => attemptsUntil(to, 160, () => 500),
    usual: 4,
    other: 3,
    ...PATIENT,
  },
  "rate.without_retry_after": {
    async look(to) {
      await to.payin();
      return (await to.payin()).headers.has("retry-after");
    },
    usual: true,
    other: false,
    given: { "rate_limit.per_minute": "1" },
  },
};

describe("a variant", () => {
  const rowCases = rowNames.flatMap((row) =>
    Object.entries(ROW_LOOKS[row].sees).map(([choice, seen]) => ({ row, choice, seen })),
  );

  it.concurrent.each(rowCases)("shows $row=$choice", async ({ row, choice, seen }) => {
    const { look, given, speed = 1 } = ROW_LOOKS[row];
    await using variant = await startVariant({ ...given, [row]: choice }, { speed });
    await using visitor = await visit(variant);
    expect(await look(visitor)).toEqual(seen);
  });

  it.concurrent.each(deviationIds)("shows the deviation %s", async (id) => {
    const { look, usual, other, given = {}, speed = 1 } = DEVIATION_LOOKS[id];
    await using plain = await startVariant(given, { speed });
    await using deviating = await startVariant(given, { deviations: [id], speed });
    await using toPlain = await visit(plain);
    await using toDeviating = await visit(deviating);
    expect([await look(toPlain), await look(toDeviating)]).toEqual([usual, other]);
    expect([[...plain.touched], [...deviating.touched]]).toEqual([[], [id]]);
    expect(deviating.deviations).toEqual([expect.objectContaining({ id })]);
  });

  it("does not touch a deviation that no call shows", async () => {
    await using variant = await startVariant({}, { deviations: ["limit.description_100"] });
    await using visitor = await visit(variant);
    await visitor.payin({ description: "short" });
    expect([...variant.touched]).toEqual([]);
  });

  it("reports what it was sent", async () => {
    await using variant = await startVariant({});
    await using visitor = await visit(variant);
    await visitor.payout({}, KEY);
    await visitor.payout({}, KEY);
    const sent = { method: "POST", path: "/v1/payouts", status: 200 };
    const one = expect.objectContaining({
      ...sent,
      headers: expect.objectContaining(KEY),
      body: expect.objectContaining({ pix_key_type: "email" }),
    });
    expect(variant.requests).toEqual([one, one]);
  });

  it.each([
    ["an unreadable body", "POST /payins", "{", {}, 400, "VALIDATION_ERROR"],
    [
      "another content type",
      "POST /payins",
      "{}",
      { "content-type": "text/plain" },
      415,
      "VALIDATION_ERROR",
    ],
    ["a large body", "POST /payins", " ".repeat(2 ** 20 + 1), {}, 413, "VALIDATION_ERROR"],
    ["an unknown route", "POST /refunds", "{}", {}, 404, "NOT_PROCESSABLE"],
    ["another method", "DELETE /payins", undefined, {}, 405, "NOT_PROCESSABLE"],
  ])("refuses %s", async (_what, path, body, headers, status, code) => {
    await using variant = await startVariant({});
    await using visitor = await visit(variant);
    const seen = await visitor.call(path, body, headers);
    expect(seen).toMatchObject({ status, body: { code, errors: [] } });
  });
});

describe("the seeds", () => {
  const drawn = Array.from({ length: 1000 }, (_, seed) => drawVariant(seed));
  const deviations = drawn.map(({ deviations: ids }) => ids);

  it("draw every choice within 200 variants", () => {
    const choices = drawn
      .slice(0, 200)
      .flatMap(({ choices: of }) => rowNames.map((row) => `${row}=${of[row]}`));
    const all = rowNames.flatMap((row) => ROWS[row].map((choice) => `${row}=${choice}`));
    expect(new Set(choices)).toEqual(new Set(all));
  });

  it("draw every deviation, up to three of different areas", () => {
    expect(new Set(deviations.flat())).toEqual(new Set(deviationIds));
    expect(new Set(deviations.map(({ length }) => length))).toEqual(new Set([0, 1, 2, 3]));
    const areas = deviations.map((ids) => new Set(ids.map((id) => id.split(".")[0])).size);
    expect(areas).toEqual(deviations.map(({ length }) => length));
  });

  it("draw the same again", async () => {
    await using variant = await startVariant(7);
    expect(variant.choices).toEqual(drawn[7]?.choices);
    expect(variant.deviations.map(({ id }) => id)).toEqual(drawn[7]?.deviations);
  });
});

describe("the tables", () => {
  it("have the names of the documentation", () => {
    const docs = readFileSync(new URL("../../docs/assumptions.md", import.meta.url), "utf8");
    const documented = [...docs.matchAll(/^\| `([\w.]+)` \| .* \| (.*) \| (.*) \|$/gm)];
    expect(documented.map(([, name]) => name)).toEqual(rowNames);
    for (const [, name = "", standard = "", others = ""] of documented) {
      const words = `${standard}<br>${others}`.matchAll(/(?:^|<br>)`([a-z\d_]+)(:<seconds>)?`:/g);
      const named = [...words].map(([, choice]) => choice);
      const drawn: string[] = ROWS[name as Row].map((choice) => choice.split(":")[0] ?? choice);
      const [first = ""] = drawn;
      const isFree = /^\d+$/.test(first) && named[0] === first;
      const hasOne = others === "–" && first === "only";
      const expected = hasOne ? ["only"] : isFree ? drawn : named;
      expect([name, new Set(drawn)]).toEqual([name, new Set(expected)]);
    }
  });

  it("say of every row whether a client can observe it", () => {
    expect(Object.keys(OBSERVABLE).toSorted()).toEqual(rowNames.toSorted());
  });

  it("share no code with the source", () => {
    const folder = new URL("./", import.meta.url);
    const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
    expect(texts.filter((text) => /(?:from|import) *\(?"[^"]*\/src\//.test(text))).toEqual([]);
  });
});

async function statuses(calls: Promise<Seen>[]): Promise<number[]> {
  return (await Promise.all(calls)).map(({ status }) => status);
}

function payoutTo(to: Visit, pix_key_type: string, pix_key: string): Promise<Seen> {
  return to.payout({ pix_key_type, pix_key });
}

async function imageOf(to: Visit): Promise<string> {
  return String((await to.payin({ generate_qrcode: true })).body["qr_code_base64"]);
}

/** Creates a payin, pays it by a simulation, and waits for the webhook. */
async function paidPayin(to: Visit) {
  const { body } = await to.payin();
  await to.simulate("payins", body["id"]);
  return to.webhook("payin.paid");
}

/** Uses a key twice: status, replay header, and whether the second answer is the first, or its code. */
async function keyUsedAgain(to: Visit, change: object): Promise<unknown[]> {
  const first = await to.payin({}, KEY);
  const { status, headers, body } = await to.payin(change, KEY);
  const outcome = status === 200 ? body["id"] === first.body["id"] : body["code"];
  return [status, headers.get("idempotent-replayed"), outcome];
}

/** How often a webhook has been sent after that many of the variant's seconds. */
async function attemptsUntil(to: Visit, seconds: number, answer: Visit["answer"]): Promise<number> {
  to.answer = answer;
  await paidPayin(to);
  await to.pass(seconds);
  return to.hits.filter(({ path, method }) => path === "/hook" && method !== "CLOSED").length;
}
