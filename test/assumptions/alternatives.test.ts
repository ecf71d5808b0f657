import { writeFile } from "node:fs/promises";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import {
  type AssumptionName,
  ASSUMPTION_NAMES,
  type Assumption,
  ASSUMPTIONS,
  readChoice,
  STANDARD_ASSUMPTIONS,
  triedChoices,
} from "../../src/core/assumptions/table.ts";
import type { LocalizedText } from "../../src/text/localized-text.ts";
import { type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { headersOf } from "../support/calls.ts";
import { serveMain } from "../support/main.ts";
import { createFolder } from "../support/folder.ts";
import { type Answering, type Merchant, startMerchant, verified } from "../support/merchant.ts";

/** What `<seconds>` and the like stand for in each row that takes a number. */
const NUMBERS: Readonly<Record<string, number>> = {
  "idempotency.retention_seconds": 7,
  "webhook.timeout_seconds": 1,
  "payout.auto": 30,
  "rate_limit.per_minute": 3,
};

/** A valid CPF, one whose check digits do not hold, and two more. */
const CPF = "52998224725";
const WRONG_CPF = "52998224724";
const OTHER_CPF = "11144477735";
const THIRD_CPF = "12345678909";

type Json = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** An integration at work on a real server, its merchant beside it. */
interface World {
  readonly url: string;
  readonly secret: string;
  readonly merchant: Merchant;
  /** Calls the gateway, as the integration and with every header, unless some are changed or (null) left out. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string | null>>,
  ): Promise<Answer>;
  /** Creates a payin or a payout of sample values and the members that are said. */
  create(
    noun: "payin" | "payout",
    members?: Json,
    headers?: Readonly<Record<string, string | null>>,
  ): Promise<Answer>;
  simulate(noun: "payin" | "payout", id: unknown, status?: string): Promise<Answer>;
  /** The record as it now is. */
  show(noun: "payin" | "payout", id: unknown): Promise<Json>;
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  deliveries(): Promise<readonly (Json & { attempts: readonly Json[] })[]>;
  /** Lets attempts in flight end, then moves time. */
  advance(seconds: number): Promise<Answer>;
  /** Every choice that an answer has named so far. */
  readonly named: ReadonlySet<string>;
}

type Proof = (world: World) => Promise<void>;

const ok = expect.objectContaining({ status: 200 });

/** The answer to a request with that one field at fault. */
const invalid = (field: string, code = "INVALID_VALUE") =>
  expect.objectContaining({
    status: 400,
    body: {
      code: "VALIDATION_ERROR",
      message: expect.any(String),
      errors: [{ field, code, message: expect.any(String) }],
    },
  });

const refused = (status: number, code: string, ...fields: string[]) =>
  expect.objectContaining({
    status,
    body: {
      code,
      message: expect.any(String),
      errors: fields.map((field) => expect.objectContaining({ field })),
    },
  });

/** What shows that a choice is in effect, for each choice of each row. */
const PROOFS: Readonly<Record<string, Proof>> = {
  "value.unit=reais": async ({ create, show }) => {
    const created = await create("payin", { value: 10.5 });
    expect(await show("payin", created.body["id"])).toMatchObject({ value: 10.5 });
    for (const value of [0.01, 9_999_999_999.99])
      expect(await create("payin", { value })).toEqual(ok);
    for (const value of [0, -1, 10.505, 10_000_000_000])
      expect(await create("payin", { value })).toEqual(invalid("value"));
  },
  "value.unit=centavos": async ({ create, show, simulate, advance, merchant }) => {
    const created = await create("payin", { value: 1050 });
    expect(await show("payin", created.body["id"])).toMatchObject({ value: 1050 });
    for (const value of [1, 999_999_999_999]) expect(await create("payin", { value })).toEqual(ok);
    for (const value of [0, -1, 10.5, 1_000_000_000_000])
      expect(await create("payin", { value })).toEqual(invalid("value"));
    await simulate("payin", created.body["id"]);
    await advance(0);
    expect(JSON.parse(merchant.received[0]?.body ?? "")).toMatchObject({ data: { value: 1050 } });
  },
  "country_code=two_letters": async ({ create }) => {
    for (const code of ["BR", "br", "AR"])
      expect(await create("payin", {}, { "x-country-code": code })).toEqual(ok);
    for (const code of ["BRA", "B", "55"])
      expect(await create("payin", {}, { "x-country-code": code })).toEqual(
        invalid("x-country-code"),
      );
  },
  "country_code=br_only": async ({ create }) => {
    for (const code of ["BR", "br"])
      expect(await create("payin", {}, { "x-country-code": code })).toEqual(ok);
    for (const code of ["AR", "BRA"])
      expect(await create("payin", {}, { "x-country-code": code })).toEqual(
        invalid("x-country-code"),
      );
  },
  "cpf.check=shape": async ({ create }) => {
    expect(await create("payin", { buyer_cpf: WRONG_CPF })).toEqual(ok);
    expect(await create("payout", { receiver_cpf: WRONG_CPF, pix_key: WRONG_CPF })).toEqual(ok);
    expect(await create("payin", { buyer_cpf: "5299822472" })).toEqual(invalid("buyer_cpf"));
  },
  "cpf.check=check_digits": async ({ create }) => {
    expect(await create("payin", { buyer_cpf: CPF })).toEqual(ok);
    expect(await create("payin", { buyer_cpf: WRONG_CPF })).toEqual(invalid("buyer_cpf"));
    expect(await create("payout", { receiver_cpf: WRONG_CPF })).toEqual(invalid("receiver_cpf"));
    expect(await create("payout", { pix_key: WRONG_CPF })).toEqual(invalid("pix_key"));
  },
  "phone.size=either": async (world) => {
    await provePixKeys(
      world,
      "phone",
      ["+5511987654321", "+551187654321", "+4411987654321"],
      ["+55118765432"],
    );
  },
  "phone.size=words": async (world) => {
    await provePixKeys(world, "phone", ["+5511987654321"], ["+551187654321", "+4411987654321"]);
  },
  "phone.size=size": async (world) => {
    await provePixKeys(world, "phone", ["+551187654321", "+119876543210"], ["+5511987654321"]);
  },
  "evp.form=any": async (world) => {
    await provePixKeys(
      world,
      "evp",
      ["123e4567-e12b-42d1-a456-426655440000", "123E4567-E12B-12D1-A456-426655440000"],
      ["123e4567e12b42d1a456426655440000"],
    );
  },
  "evp.form=lower_v4": async (world) => {
    await provePixKeys(
      world,
      "evp",
      ["123e4567-e12b-42d1-a456-426655440000"],
      ["123E4567-E12B-42D1-A456-426655440000", "123e4567-e12b-12d1-a456-426655440000"],
    );
  },
  "email.size=any": async (world) => {
    const long = `${"a".repeat(200)}@example.com`;
    expect(await world.create("payin", { buyer_email: long })).toEqual(ok);
    await provePixKeys(world, "email", [long], ["maria"]);
  },
  "email.size=77": async (world) => {
    const of = (length: number): string => `${"a".repeat(length - 12)}@example.com`;
    expect(await world.create("payin", { buyer_email: of(77) })).toEqual(ok);
    expect(await world.create("payin", { buyer_email: of(78) })).toEqual(invalid("buyer_email"));
    expect(await world.create("payout", { receiver_email: of(78) })).toEqual(
      invalid("receiver_email"),
    );
    await provePixKeys(world, "email", [of(77)], [of(78)]);
  },
  "payin.generate_qrcode=false": async ({ create }) => {
    expect((await create("payin")).body).not.toHaveProperty("qr_code_base64");
    expect((await create("payin", { generate_qrcode: true })).body).toHaveProperty(
      "qr_code_base64",
    );
  },
  "payin.generate_qrcode=true": async ({ create }) => {
    expect((await create("payin")).body).toHaveProperty("qr_code_base64");
    expect((await create("payin", { generate_qrcode: false })).body).not.toHaveProperty(
      "qr_code_base64",
    );
  },
  "qr_code_base64.form=bare": async ({ create }) => {
    const { body } = await create("payin", { generate_qrcode: true });
    expect(body["qr_code_base64"]).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expectPng(String(body["qr_code_base64"]));
  },
  "qr_code_base64.form=data_uri": async ({ create }) => {
    const { body } = await create("payin", { generate_qrcode: true });
    const [, image] =
      /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/.exec(String(body["qr_code_base64"])) ?? [];
    expectPng(image ?? "");
  },
  "payin.v2=only": async ({ call, create, merchant }) => {
    const first = await create("payin");
    const body = { ...SAMPLES.payin, webhook_url: merchant.url };
    const second = await call("POST", "/v2/payins", body);
    expect(second).toEqual(ok);
    expect(Object.keys(second.body)).toEqual(Object.keys(first.body));

    const wrong = await call("POST", "/v2/payins", { ...body, value: -1 });
    expect(wrong.headers.get("content-type")).toBe("application/problem+json");
    expect(wrong).toMatchObject({
      status: 400,
      body: {
        status: 400,
        code: "VALIDATION_ERROR",
        errors: [{ field: "value", code: "INVALID_VALUE" }],
      },
    });
    expect(wrong.body).toHaveProperty("title");
    expect((await create("payin", { value: -1 })).headers.get("content-type")).toBe(
      "application/json",
    );
  },
  "payin.simulation_status=completed_only": async ({ create, simulate, show }) => {
    const { id } = (await create("payin")).body;
    expect(await simulate("payin", id, "canceled")).toEqual(invalid("status"));
    expect(await show("payin", id)).toMatchObject({ status: "waiting" });
    expect(await simulate("payin", id, "completed")).toEqual(ok);
  },
  "payin.simulation_status=also_canceled": async ({ create, simulate, show }) => {
    const { id } = (await create("payin")).body;
    expect(await simulate("payin", id, "canceled")).toEqual(ok);
    expect(await show("payin", id)).toMatchObject({ status: "canceled", end_to_end_id: null });
    expect(await simulate("payin", (await create("payin")).body["id"], "expired")).toEqual(
      invalid("status"),
    );
  },
  "payin.paid_status=paid": async (world) => {
    await provePaidStatus(world, "paid");
  },
  "payin.paid_status=completed": async (world) => {
    await provePaidStatus(world, "completed");
  },
  "payin.expiry_event=none": async ({ create, show, advance, deliveries, merchant }) => {
    const { id } = (await create("payin", { expiration: 20 })).body;
    await advance(20);
    expect(await show("payin", id)).toMatchObject({ status: "expired" });
    expect(await deliveries()).toEqual([]);
    expect(merchant.received).toEqual([]);
  },
  "payin.expiry_event=webhook": async ({ create, advance, merchant }) => {
    const { id } = (await create("payin", { expiration: 20 })).body;
    await advance(20);
    expect(merchant.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: "payin.expired", data: { id, status: "expired" } },
    ]);
  },
  "payout.recipient=receiver_cpf": async (world) => {
    expect(await statusOfSecondPayout(world, { receiver_cpf: OTHER_CPF })).toBe("waiting");
    expect(await statusOfSecondPayout(world, { pix_key: OTHER_CPF })).toBe("canceled");
  },
  "payout.recipient=pix_key": async (world) => {
    expect(await statusOfSecondPayout(world, { pix_key: OTHER_CPF })).toBe("waiting");
    expect(await statusOfSecondPayout(world, { receiver_cpf: OTHER_CPF })).toBe("canceled");
    for (const [pix_key_type, pix_key] of [
      ["evp", "0f8fad5b-d9cb-469f-a165-70867728950e"],
      ["email", "jose@example.com"],
    ] as const) {
      const first = await world.create("payout", { pix_key_type, pix_key });
      const members = { pix_key_type, pix_key: pix_key.toUpperCase() };
      expect(await statusOfSecondPayout(world, members)).toBe("canceled");
      // Once the first is final, the recipient is free again, and the key is shown as it was sent.
      await world.simulate("payout", first.body["id"], "completed");
      const { id } = (await world.create("payout", members)).body;
      expect(await world.show("payout", id)).toMatchObject({ ...members, status: "waiting" });
    }
  },
  "payout.rival=cancel": async ({ create, show, advance, merchant }) => {
    const first = (await create("payout")).body["id"];
    const rival = await create("payout");
    expect(rival).toMatchObject({ status: 200, body: { status: "waiting" } });
    const { id } = rival.body;
    expect(await show("payout", id)).toMatchObject({ status: "canceled" });
    expect(await show("payout", first)).toMatchObject({ status: "waiting" });
    await advance(0);
    expect(merchant.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: "payout.canceled", data: { id, status: "canceled" } },
    ]);
  },
  "payout.rival=reject": async ({ create, control, deliveries }) => {
    expect(await create("payout")).toEqual(ok);
    expect(await create("payout")).toEqual(refused(422, "NOT_PROCESSABLE", "receiver_cpf"));
    expect((await control("GET", "/payouts")).body["data"]).toHaveLength(1);
    expect(await deliveries()).toEqual([]);
  },
  "payout.rival=allow": async (world) => {
    expect(await statusOfSecondPayout(world, {})).toBe("waiting");
  },
  "payout.auto=never": async ({ create, show, advance, merchant }) => {
    const { id } = (await create("payout")).body;
    await advance(30 * 86_400);
    expect(await show("payout", id)).toMatchObject({ status: "waiting" });
    expect(merchant.received).toEqual([]);
  },
  "payout.auto=complete_after:<seconds>": async (world) => {
    const { create, control, show, advance, merchant, simulate } = world;
    const { id } = (await create("payout")).body;
    const canceled = (await create("payout", { receiver_cpf: OTHER_CPF })).body["id"];
    expect(await simulate("payout", canceled, "canceled")).toEqual(ok);
    // The seconds are those that held when it was created.
    await control("PATCH", "/assumptions", { "payout.auto": "never" });
    const later = (await create("payout", { receiver_cpf: THIRD_CPF })).body["id"];
    await advance(29.999);
    expect(await show("payout", id)).toMatchObject({ status: "waiting" });
    await advance(0.001);

    const completed = await show("payout", id);
    expect(completed).toMatchObject({
      status: "completed",
      end_to_end_id: expect.stringMatching(/^E/),
    });
    const { created_at, settled_at } = completed as Record<string, string>;
    expect(Date.parse(settled_at ?? "") - Date.parse(created_at ?? "")).toBe(30_000);
    expect(await show("payout", canceled)).toMatchObject({ status: "canceled" });
    await advance(1000);
    expect(await show("payout", later)).toMatchObject({ status: "waiting" });
    const told = merchant.received.map(({ body }) => JSON.parse(body));
    expect(told).toMatchObject([
      { type: "payout.canceled", data: { id: canceled } },
      { type: "payout.completed", data: { id } },
    ]);
  },
  "rate_limit.per_minute=0": async ({ call }) => {
    const calls = Array.from({ length: 300 }, () => call("GET", "/v1/webhooks"));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([404]));
  },
  "rate_limit.per_minute=<requests>": async ({ call, create }) => {
    const key = { "x-idempotency-key": "order-1" };
    expect(await create("payin", {}, key)).toEqual(ok);
    expect(await create("payin", { value: -1 })).toEqual(invalid("value"));
    expect(await create("payin", { value: 11 }, key)).toMatchObject({ status: 409 });
    expect(await create("payout")).toEqual(ok);
    expect(await call("GET", "/v1/webhooks")).toMatchObject({ status: 404 });

    const requests = [
      create("payin"),
      create("payout"),
      call("POST", "/v1/payins/simulations", { transaction_id: "a", status: "completed" }),
      call("POST", "/v1/payouts/simulations", { transaction_id: "a", status: "completed" }),
      call("PUT", "/v1/webhooks", {
        webhook_url: "http://127.0.0.1:9/hook",
        events: ["payment.failed"],
      }),
      call("GET", "/v1/webhooks"),
    ];
    for (const answer of await Promise.all(requests)) {
      expect(answer).toEqual(refused(429, "NOT_PROCESSABLE"));
      expect(answer.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    }
    const repeated = await create("payin", {}, key);
    expect(repeated).toEqual(ok);
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
    expect(await create("payin", { value: -1 })).toEqual(invalid("value"));
    expect(await create("payin", {}, { "x-api-token": "another" })).toMatchObject({ status: 200 });
  },
  "environment=staging": async ({ create, simulate }) => {
    for (const noun of ["payin", "payout"] as const)
      expect(await simulate(noun, (await create(noun)).body["id"])).toEqual(ok);
  },
  "environment=production": async ({ create, simulate, show }) => {
    for (const noun of ["payin", "payout"] as const) {
      const { id } = (await create(noun)).body;
      expect(await simulate(noun, id)).toEqual(refused(422, "NOT_PROCESSABLE"));
      expect(await show(noun, id)).toMatchObject({ status: "waiting" });
    }
  },
  "simulation.final=reject": async ({ create, simulate, deliveries }) => {
    for (const noun of ["payin", "payout"] as const) {
      const { id } = (await create(noun)).body;
      expect(await simulate(noun, id)).toEqual(ok);
      expect(await simulate(noun, id)).toEqual(refused(422, "NOT_PROCESSABLE", "transaction_id"));
      expect(await simulate(noun, "no such id")).toEqual(
        refused(422, "NOT_PROCESSABLE", "transaction_id"),
      );
    }
    expect(await deliveries()).toHaveLength(2);
  },
  "simulation.final=repeat": async ({ create, simulate, deliveries }) => {
    for (const noun of ["payin", "payout"] as const) {
      const { id } = (await create(noun)).body;
      const first = await simulate(noun, id);
      expect(first).toEqual(ok);
      expect((await simulate(noun, id)).body).toEqual(first.body);
      expect(await simulate(noun, "no such id")).toEqual(
        refused(422, "NOT_PROCESSABLE", "transaction_id"),
      );
    }
    expect(await deliveries()).toHaveLength(2);
    const { id } = (await create("payout")).body;
    await simulate("payout", id, "canceled");
    expect(await simulate("payout", id, "completed")).toEqual(
      refused(422, "NOT_PROCESSABLE", "transaction_id"),
    );
  },
  "simulation.message=only": async ({ create, simulate, control }) => {
    for (const [language, word] of [
      ["en", /charge.*completed/],
      ["pt", /cobrança.*concluída/],
    ] as const) {
      await control("PATCH", "/assumptions", { "error.language": language });
      for (const noun of ["payin", "payout"] as const) {
        const { body } = await simulate(noun, (await create(noun)).body["id"]);
        expect(body).toEqual({ message: expect.stringMatching(word) });
      }
    }
  },
  "header.missing=validation": async ({ create }) => {
    expect(await create("payin", {}, { "x-provider-id": null, "x-provider": " " })).toMatchObject({
      status: 400,
      body: {
        code: "VALIDATION_ERROR",
        errors: [
          { field: "x-provider-id", code: "REQUIRED_VALUE" },
          { field: "x-provider", code: "EMPTY_VALUE" },
        ],
      },
    });
    expect(await create("payin", {}, { "x-idempotency-key": null })).toEqual(
      invalid("x-idempotency-key", "REQUIRED_VALUE"),
    );
  },
  "header.missing=unauthorized": async ({ create }) => {
    for (const headers of [
      { "x-provider-id": null },
      { "x-provider": " " },
      { "x-idempotency-key": null },
    ])
      expect(await create("payin", {}, headers)).toMatchObject({
        status: 401,
        body: { code: "NO_ACTIVE_CREDENTIAL" },
      });
    expect(await create("payin", {}, { "x-country-code": "BRA" })).toEqual(
      invalid("x-country-code"),
    );
  },
  "credentials=any": async ({ create, simulate, advance, merchant, secret }) => {
    const { body } = await create("payin", {}, { "x-provider-id": "another" });
    expect(body).toHaveProperty("qr_code");
    await simulate("payin", body["id"]);
    await advance(0);
    const [received] = merchant.received;
    expect(received && verified(received, secret)).toMatchObject({ type: "payin.paid" });
    expect(await create("payin", {}, { "x-api-token": " " })).toEqual(
      invalid("x-api-token", "EMPTY_VALUE"),
    );
  },
  "credentials=listed": async (world) => {
    const { call, create, control, simulate, advance, merchant } = world;
    const { id } = (await create("payin")).body;
    for (const path of ["/v1/payins", "/v2/payins"]) {
      const body = { ...SAMPLES.payin, webhook_url: merchant.url };
      expect(await call("POST", path, body, { "x-provider-id": "another" })).toMatchObject({
        status: 401,
        body: { code: "NO_ACTIVE_CREDENTIAL", errors: [{ field: "x-provider-id" }] },
      });
    }
    expect(await create("payin", { value: -1 }, { "x-provider-id": "another" })).toEqual(
      invalid("value"),
    );
    expect(await call("GET", "/v1/webhooks", undefined, { "x-provider-id": "1" })).toMatchObject({
      status: 401,
    });
    // The control routes are nobody's in particular.
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);

    await simulate("payin", id);
    await advance(0);
    const [received] = merchant.received;
    expect(received && verified(received, `whsec_${btoa(LISTED.apiSecret)}`)).toMatchObject({
      data: { id },
    });
  },
  "error.status=distinct": async (world) => {
    expect(await statusesOfErrors(world)).toEqual({
      VALIDATION_ERROR: 400,
      NO_ACTIVE_CREDENTIAL: 401,
      DUPLICATED_VALUE: 409,
      NOT_PROCESSABLE: 422,
    });
  },
  "error.status=always_400": async (world) => {
    expect(await statusesOfErrors(world)).toEqual({
      VALIDATION_ERROR: 400,
      NO_ACTIVE_CREDENTIAL: 400,
      DUPLICATED_VALUE: 400,
      NOT_PROCESSABLE: 400,
    });
  },
  "error.language=en": async ({ create }) => {
    expect((await create("payin", { value: -1 })).body).toMatchObject({
      message: "Check these fields: value.",
      errors: [{ message: expect.stringMatching(/^value must be /) }],
    });
  },
  "error.language=pt": async ({ create }) => {
    expect((await create("payin", { value: -1 })).body).toMatchObject({
      message: "Verifique estes campos: value.",
      errors: [{ message: expect.stringMatching(/^value deve ser /) }],
    });
  },
  "unknown_field=ignore": async ({ create, show }) => {
    const created = await create("payin", { surprise: 1 });
    expect(created).toEqual(ok);
    expect(await show("payin", created.body["id"])).not.toHaveProperty("surprise");
  },
  "unknown_field=reject": async ({ create, call, merchant }) => {
    expect(await create("payin", { surprise: 1 })).toEqual(invalid("surprise"));
    expect(await create("payout", { surprise: 1 })).toEqual(invalid("surprise"));
    expect(
      await call("POST", "/v1/payins/simulations", {
        transaction_id: "a",
        status: "completed",
        surprise: 1,
      }),
    ).toEqual(invalid("surprise"));
    expect(
      await call("PUT", "/v1/webhooks", {
        webhook_url: merchant.url,
        events: ["payment.failed"],
        surprise: 1,
      }),
    ).toEqual(invalid("surprise"));
  },
  "idempotency.repeat=replay": async ({ create, control }) => {
    const key = { "x-idempotency-key": "order-1" };
    const answers = await Promise.all(Array.from({ length: 10 }, () => create("payin", {}, key)));
    const late = await create("payin", {}, key);
    const fresh = answers.filter(({ headers }) => headers.get("idempotent-replayed") === null);
    expect(fresh).toHaveLength(1);
    for (const answer of [...answers, late])
      expect(answer).toMatchObject({ status: 200, body: fresh[0]?.body });
    expect(late.headers.get("idempotent-replayed")).toBe("true");
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);
  },
  "idempotency.repeat=reject": async ({ create, control }) => {
    const key = { "x-idempotency-key": "order-1" };
    expect(await create("payin", {}, key)).toEqual(ok);
    expect(await create("payin", {}, key)).toEqual(
      refused(409, "DUPLICATED_VALUE", "x-idempotency-key"),
    );
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);
  },
  "idempotency.mismatch=reject": async ({ create, control }) => {
    const key = { "x-idempotency-key": "order-1" };
    expect(await create("payin", {}, key)).toEqual(ok);
    expect(await create("payin", { value: 11 }, key)).toEqual(
      refused(409, "DUPLICATED_VALUE", "x-idempotency-key"),
    );
    expect(await create("payout", {}, key)).toEqual(
      refused(409, "DUPLICATED_VALUE", "x-idempotency-key"),
    );
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);
  },
  "idempotency.mismatch=replay": async ({ create, control }) => {
    const key = { "x-idempotency-key": "order-1" };
    const first = await create("payin", {}, key);
    const other = await create("payin", { value: 11 }, key);
    expect(other).toMatchObject({ status: 200, body: first.body });
    expect(other.headers.get("idempotent-replayed")).toBe("true");
    // A payout's answer cannot be a payin's.
    expect(await create("payout", {}, key)).toEqual(
      refused(409, "DUPLICATED_VALUE", "x-idempotency-key"),
    );
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);
  },
  "idempotency.retention_seconds=<seconds>": async ({ create, advance }) => {
    const key = { "x-idempotency-key": "order-1" };
    const first = await create("payin", {}, key);
    await advance(6.999);
    expect((await create("payin", {}, key)).body["id"]).toBe(first.body["id"]);
    await advance(0.001);
    const later = await create("payin", {}, key);
    expect(later).toEqual(ok);
    expect(later.body["id"]).not.toBe(first.body["id"]);
  },
  "webhook.configuration=only": async ({ call, create, control, advance, merchant }) => {
    const configuration = {
      webhook_url: merchant.at("/all"),
      events: ["payment.received", "payment.failed"],
    };
    expect(await call("GET", "/v1/webhooks")).toEqual(refused(404, "NOT_PROCESSABLE"));
    expect(await call("PUT", "/v1/webhooks", configuration)).toMatchObject({
      status: 200,
      body: configuration,
    });
    expect(await call("GET", "/v1/webhooks")).toMatchObject({ status: 200, body: configuration });
    expect(await call("PUT", "/v1/webhooks", configuration, { "x-provider": null })).toEqual(
      invalid("x-provider", "REQUIRED_VALUE"),
    );

    const moves = [
      "payins/pay",
      "payins/cancel",
      "payins/expire",
      "payouts/complete",
      "payouts/cancel",
    ];
    for (const move of moves) {
      const [list = "", verb] = move.split("/");
      const { id } = (await create(list === "payins" ? "payin" : "payout")).body;
      await control("POST", `/${list}/${String(id)}/${verb}`);
    }
    await advance(0);
    const told = (path: string) =>
      merchant.received
        .filter((one) => one.path === path)
        .map(({ body }) => JSON.parse(body).type as string);
    expect(told("/all")).toEqual([
      "payment.received",
      "payment.failed",
      "payment.failed",
      "payment.received",
      "payment.failed",
    ]);
    expect(told("/hook")).toEqual(["payin.paid", "payout.completed", "payout.canceled"]);
  },
  "webhook.payload=only": async ({ create, simulate, advance, show, merchant }) => {
    const { id } = (await create("payin")).body;
    await simulate("payin", id);
    await advance(0);
    const [received] = merchant.received;
    expect(received).toMatchObject({
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    const { integration: _integration, ...data } = await show("payin", id);
    expect(JSON.parse(received?.body ?? "")).toEqual({
      id: received?.headers["webhook-id"],
      type: "payin.paid",
      created_at: data["settled_at"],
      data,
    });
  },
  "webhook.signature=standard_webhooks": async ({
    create,
    simulate,
    advance,
    merchant,
    secret,
  }) => {
    await simulate("payin", (await create("payin")).body["id"]);
    await advance(0);
    const [received] = merchant.received;
    expect(received && verified(received, secret)).toMatchObject({ type: "payin.paid" });
  },
  "webhook.signature=none": async ({ create, simulate, advance, merchant }) => {
    await simulate("payin", (await create("payin")).body["id"]);
    await advance(0);
    const [received] = merchant.received;
    expect(received?.method).toBe("POST");
    expect(
      Object.keys(received?.headers ?? {}).filter((name) => name.startsWith("webhook-")),
    ).toEqual([]);
  },
  "webhook.success=2xx": async (world) => {
    expect(await statusesOfDeliveries(world, [200, 201, 204, 301, 500])).toEqual([
      "delivered",
      "delivered",
      "delivered",
      "pending",
      "pending",
    ]);
  },
  "webhook.success=only_200": async (world) => {
    expect(await statusesOfDeliveries(world, [200, 201, 204, 301, 500])).toEqual([
      "delivered",
      "pending",
      "pending",
      "pending",
      "pending",
    ]);
  },
  "webhook.timeout_seconds=<seconds>": async ({
    create,
    simulate,
    advance,
    deliveries,
    merchant,
  }) => {
    merchant.answerWith("hold");
    await simulate("payin", (await create("payin")).body["id"]);
    await advance(0);
    expect((await deliveries())[0]?.attempts).toMatchObject([{ error: "no answer within 1 s" }]);
  },
  "webhook.retries=laptop": async (world) => {
    expect(await secondsOfAttempts(world)).toEqual([0, 1, 6, 31]);
  },
  "webhook.retries=production": async (world) => {
    expect(await secondsOfAttempts(world)).toEqual([
      0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705, 185_705, 272_105,
    ]);
  },
  "webhook.retries=none": async (world) => {
    expect(await secondsOfAttempts(world)).toEqual([0]);
  },
};

const SAMPLES = {
  payin: {
    value: 10,
    buyer_cpf: CPF,
    buyer_name: "Maria da Silva",
    buyer_email: "maria@example.com",
  },
  payout: {
    value: 25,
    receiver_cpf: CPF,
    receiver_name: "José de Souza",
    receiver_email: "jose@example.com",
    pix_key: CPF,
    pix_key_type: "cpf",
  },
};

/** The credential of the integration at work. */
const LISTED = { apiKey: "shop", apiSecret: "open sesame", merchantId: "42" };

/** Every row of the table with each of its choices, as a test's title names it and as a sandbox takes it. */
const CASES = ASSUMPTION_NAMES.flatMap((name) =>
  Object.keys((ASSUMPTIONS[name] as Assumption).choices).map((choice) => ({
    name,
    title: `${name}=${choice}`,
    choice: filled(name, choice),
  })),
);

/** A choice as a sandbox takes it, a number in the place of `<seconds>` and the like. */
function filled(name: AssumptionName, choice: string): string | number {
  const text = choice.replace(/<.*>/, String(NUMBERS[name]));
  return typeof ASSUMPTIONS[name].standard === "number" ? Number(text) : text;
}

describe("the table of assumptions", () => {
  it("has a proof for each choice of each row, and no proof has lost its choice", () => {
    expect(Object.keys(PROOFS).toSorted()).toEqual(CASES.map(({ title }) => title).toSorted());
  });

  it.each(ASSUMPTION_NAMES)(
    "says of %s what is open, what each choice does, and which one holds",
    (name) => {
      const { gap, choices, standard }: Assumption = ASSUMPTIONS[name];

      expect(Object.values(choices).length).toBeGreaterThan(0);
      for (const { en, pt } of [gap, ...Object.values(choices)]) {
        expect(en).toMatch(/\S.*\.$/);
        expect(pt).toMatch(/\S.*\.$/);
      }
      const isAnyNumber = typeof standard === "number" && standard > 0;
      expect(Object.keys(choices)).toContainEqual(
        isAnyNumber ? expect.stringMatching(/^<\w+>$/) : String(standard),
      );
    },
  );
});

describe("the choices that the matrix tries", () => {
  it.each(ASSUMPTION_NAMES)("are all choices of %s, as a sandbox takes them", (name) => {
    const { choices, tried }: Assumption = ASSUMPTIONS[name];
    const names = Object.keys(choices);
    const given = triedChoices(name);
    expect(given).toHaveLength(names.length);
    for (const choice of given) expect(readChoice(name, choice)).toEqual({ choice });
    expect(tried !== undefined).toBe(names.some((choice) => choice.includes("<")));
  });
});

describe("a choice that a sandbox starts with", () => {
  it.each(CASES)("is in effect: $title", async ({ name, title, choice }) => {
    await using world = await startWorld({ assumptions: { [name]: choice } });

    expect(choiceIn(await world.control("GET", "/assumptions"), name)).toBe(choice);
    await PROOFS[title]?.(world);
    const isNamed = choice !== ASSUMPTIONS[name].standard && !SHAPES_NO_ANSWER.has(name);
    expect(world.named.has(`${name}=${choice}`)).toBe(isNamed);
  });
});

/** What these choose shows in a record or a webhook alone. */
const SHAPES_NO_ANSWER: ReadonlySet<AssumptionName> = new Set([
  "payin.paid_status",
  "payin.expiry_event",
  "webhook.signature",
  "webhook.success",
  "webhook.timeout_seconds",
  "webhook.retries",
]);

describe("a choice that an integration makes while the sandbox runs", () => {
  it.each(CASES)(
    "is in effect, whatever everyone's is: $title",
    async ({ name, title, choice }) => {
      await using world = await startWorld({});
      const other = otherThan(name, choice);
      if (other !== undefined) await world.everyone("PATCH", "/assumptions", { [name]: other });

      const changed = await world.control("PATCH", "/assumptions", { [name]: choice });
      expect(choiceIn(changed, name)).toBe(choice);
      expect(choiceIn(await world.control("GET", "/assumptions"), name)).toBe(choice);
      await PROOFS[title]?.(world);
      expect(choiceIn(await world.everyone("GET", "/assumptions"), name)).toBe(
        other ?? STANDARD_ASSUMPTIONS[name],
      );
    },
  );
});

describe("the proof of a choice", () => {
  const told = CASES.filter(
    ({ name, choice }) => typeof choice === "string" && otherThan(name, choice) !== undefined,
  );

  it.each(told)("fails with another choice: $title", async ({ name, title, choice }) => {
    await using world = await startWorld({ assumptions: { [name]: otherThan(name, choice) } });
    await expect(PROOFS[title]?.(world)).rejects.toBeInstanceOf(Error);
  });
});

/** The first, the second, and every further choice of each row, as far as it has so many. */
const ROUNDS = Array.from(
  { length: Math.max(...ASSUMPTION_NAMES.map((name) => choicesOf(name).length)) },
  (_, round) =>
    ASSUMPTION_NAMES.map((name) => {
      const choices = choicesOf(name);
      return [name, filled(name, choices[Math.min(round, choices.length - 1)] ?? "")] as const;
    }),
);

describe.each(ROUNDS.map((choices, round) => ({ round: round + 1, choices })))(
  "choice $round of every row",
  { timeout: 60_000 },
  ({ choices }) => {
    const credentials = [{ api_key: "shop", api_secret: "open sesame", merchant_id: "42" }];
    const everyone = { headers: {} };
    const own = { headers: { "x-api-token": "another" } };
    const heldIn = async (url: string, who: RequestInit) =>
      rowsOf((await (await fetch(`${url}/_sandbox/assumptions`, who)).json()) as Json);

    it("holds by the flag", async () => {
      await using folder = await createFolder();
      await writeFile(folder.at("config.json"), JSON.stringify({ credentials }));
      const flags = choices.flatMap(([name, choice]) => ["--assume", `${name}=${choice}`]);
      await using sandbox = await serveMain([
        "--memory",
        "--config",
        folder.at("config.json"),
        ...flags,
      ]);
      for (const who of [everyone, own]) expect(await heldIn(sandbox.url, who)).toEqual(choices);
    });

    it("holds by the config file", async () => {
      await using folder = await createFolder();
      const config = { memory: true, credentials, assumptions: Object.fromEntries(choices) };
      await writeFile(folder.at("pix-sandbox.config.json"), JSON.stringify(config));
      await using sandbox = await serveMain([], { cwd: folder.path });
      for (const who of [everyone, own]) expect(await heldIn(sandbox.url, who)).toEqual(choices);
    });

    it("is changed by a PATCH for all integrations without changes of their own", async () => {
      await using world = await startWorld({});
      await world.control("PATCH", "/assumptions", { "payout.rival": "allow" });
      await world.everyone("PATCH", "/assumptions", Object.fromEntries(choices));
      expect(rowsOf((await world.everyone("GET", "/assumptions")).body)).toEqual(choices);
      expect(await heldIn(world.url, own)).toEqual(choices);
      expect(choiceIn(await world.control("GET", "/assumptions"), "payout.rival")).toBe("allow");
    });
  },
);

describe("choices at the control route", () => {
  it("are all listed, with the gap, the default and the current choice", async () => {
    await using world = await startWorld({ assumptions: { "payout.rival": "allow" } });
    const { body } = await world.control("GET", "/assumptions");

    expect(body["data"]).toEqual(
      ASSUMPTION_NAMES.map((name) => ({
        name,
        gap: ASSUMPTIONS[name].gap.en,
        default: ASSUMPTIONS[name].standard,
        choice: name === "payout.rival" ? "allow" : ASSUMPTIONS[name].standard,
        choices: Object.fromEntries(
          Object.entries<LocalizedText>(ASSUMPTIONS[name].choices).map(([choice, { en }]) => [
            choice,
            en,
          ]),
        ),
      })),
    );
  });

  it("can be several in one call, numbers and truths as JSON has them", async () => {
    await using world = await startWorld({});
    const changed = await world.control("PATCH", "/assumptions", {
      "webhook.timeout_seconds": 3,
      "idempotency.retention_seconds": "60",
      "payin.generate_qrcode": true,
      "email.size": 77,
    });

    expect(choiceIn(changed, "webhook.timeout_seconds")).toBe(3);
    expect(choiceIn(changed, "idempotency.retention_seconds")).toBe(60);
    expect(choiceIn(changed, "payin.generate_qrcode")).toBe("true");
    expect(choiceIn(changed, "email.size")).toBe("77");
  });

  it.each([
    ["an unknown name", { "payout.rivals": "allow" }, "payout.rivals"],
    ["an unknown choice", { "payout.rival": "forget" }, "payout.rival"],
    ["a choice of another row", { "payout.rival": "replay" }, "payout.rival"],
    ["a number that is not positive", { "webhook.timeout_seconds": 0 }, "webhook.timeout_seconds"],
    ["a name that every object has", { constructor: "allow" }, "constructor"],
    ["a choice that every object has", { "payout.rival": "constructor" }, "payout.rival"],
  ])("are refused, and none is changed, for %s", async (_title, wrong, field) => {
    await using world = await startWorld({});
    const answer = await world.control("PATCH", "/assumptions", {
      "error.status": "always_400",
      ...wrong,
    });

    expect(answer).toEqual(invalid(field));
    expect(choiceIn(await world.control("GET", "/assumptions"), "error.status")).toBe("distinct");
  });

  it("are refused for the name __proto__", async () => {
    await using world = await startWorld({});

    expect(
      await world.control("PATCH", "/assumptions", JSON.parse('{"__proto__":"allow"}')),
    ).toEqual(invalid("__proto__"));
  });

  it.each([
    ["a list", []],
    ["a text", "payout.rival=allow"],
    ["nothing", null],
  ])("are refused where the body is %s", async (_title, body) => {
    await using world = await startWorld({});

    expect(await world.control("PATCH", "/assumptions", body)).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR" },
    });
  });
});

describe("a choice from outside", () => {
  it.each(CASES)("is read: $title", ({ name, choice }) => {
    expect(readChoice(name, choice)).toEqual({ choice });
    expect(readChoice(name, String(choice))).toEqual({ choice });
  });

  it.each([
    ["payin.generate_qrcode", true, "true"],
    ["payin.generate_qrcode", false, "false"],
    ["email.size", 77, "77"],
    ["webhook.timeout_seconds", "1", 1],
    ["webhook.timeout_seconds", 86_400, 86_400],
    ["rate_limit.per_minute", "0", 0],
    ["rate_limit.per_minute", 0, 0],
    ["rate_limit.per_minute", "60", 60],
    ["payout.auto", "complete_after:1", "complete_after:1"],
  ])("is read as JSON has it: %s=%j", (name, given, choice) => {
    expect(readChoice(name, given)).toEqual({ choice });
  });

  it.each(["", "payout", "payout.rivals", "PAYOUT.RIVAL", "toString", "constructor", "__proto__"])(
    "is refused for the name %j, which no row has",
    (name) => {
      expect(readChoice(name, "allow")).toEqual({
        refusal: expect.objectContaining({
          en: expect.stringContaining(JSON.stringify(name)) as string,
        }) as object,
      });
    },
  );

  it.each([
    "",
    "forget",
    "ALLOW",
    " allow",
    "toString",
    "__proto__",
    true,
    1,
    null,
    undefined,
    {},
    ["allow"],
  ])("is refused where the row has no such choice, which it names: %j", (choice) => {
    expect(readChoice("payout.rival", choice)).toEqual({
      refusal: expect.objectContaining({
        en: "payout.rival takes cancel, reject, allow.",
      }) as object,
    });
  });

  it.each(["complete_after", "complete_after:", "complete_after:0", "complete_after:01", "30", 30])(
    "is refused where the row takes a name with a positive integer: %j",
    (choice) => {
      expect(readChoice("payout.auto", choice)).toEqual({
        refusal: expect.objectContaining({
          en: "payout.auto takes never, complete_after:<seconds>.",
        }) as object,
      });
    },
  );

  it.each([-1, 1.5, "00", "none", "<requests>", true])(
    "is refused where the row takes 0 too: %j",
    (choice) => {
      expect(readChoice("rate_limit.per_minute", choice)).toEqual({
        refusal: expect.objectContaining({
          en: "rate_limit.per_minute takes 0, a positive integer.",
        }) as object,
      });
    },
  );

  it.each([
    "",
    "0",
    "-1",
    "1.5",
    "01",
    "1e3",
    " 1",
    "1 ",
    "ten",
    "1234567890123456",
    0,
    -1,
    1.5,
    1e21,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
    null,
    undefined,
    {},
    [1],
  ])("is refused where the row takes a positive integer: %j", (choice) => {
    expect(readChoice("webhook.timeout_seconds", choice)).toEqual({
      refusal: expect.objectContaining({
        en: "webhook.timeout_seconds takes a positive integer.",
      }) as object,
    });
  });
});

interface RunningWorld extends World, AsyncDisposable {
  /** A control route, of all integrations. */
  everyone(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** Starts a sandbox whose time stands still, a merchant, and an integration between them. */
async function startWorld(options: SandboxOptions): Promise<RunningWorld> {
  const token = "shop";
  const named = new Set<string>();
  const merchant = await startMerchant();
  const sandbox = await startSandbox({ clock: "frozen", credentials: [LISTED], ...options });
  const send = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string | null>>,
    body: unknown,
  ): Promise<Answer> => {
    const sent = Object.entries({
      "content-type": body === undefined ? null : "application/json",
      ...headers,
    });
    const answer = await fetch(`${sandbox.url}${path}`, {
      method,
      headers: sent.filter((header): header is [string, string] => header[1] !== null),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const choice of answer.headers.get("x-sandbox-assumption")?.split(", ") ?? [])
      named.add(choice);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
  };
  const call: World["call"] = (method, path, body, headers = {}) =>
    send(
      method,
      path,
      {
        ...headersOf(token),
        "x-idempotency-key": crypto.randomUUID(),
        ...headers,
      },
      body,
    );
  const control: World["control"] = (method, path, body) =>
    send(method, `/_sandbox${path}`, { "x-api-token": token }, body);
  return {
    url: sandbox.url,
    secret: sandbox.secret,
    named,
    merchant,
    call,
    control,
    everyone: (method, path, body) => send(method, `/_sandbox${path}`, {}, body),
    create: (noun, members = {}, headers = {}) =>
      call(
        "POST",
        `/v1/${noun}s`,
        { ...SAMPLES[noun], webhook_url: merchant.url, ...members },
        headers,
      ),
    simulate: (noun, id, status = "completed") =>
      call(
        "POST",
        `/v1/${noun}s/simulations`,
        { transaction_id: id, status },
        { "x-idempotency-key": null },
      ),
    show: async (noun, id) => {
      const { status, body } = await control("GET", `/${noun}s/${String(id)}`);
      if (status !== 200) throw new Error(`${noun} ${String(id)}: ${status}`);
      return body;
    },
    deliveries: async () =>
      (await control("GET", "/deliveries")).body["data"] as (Json & {
        attempts: readonly Json[];
      })[],
    advance: (seconds) => control("POST", "/clock/advance", { seconds }),
    [Symbol.asyncDispose]: async () => {
      await merchant.close();
      await sandbox.close();
    },
  };
}

function choicesOf(name: AssumptionName): readonly string[] {
  return Object.keys((ASSUMPTIONS[name] as Assumption).choices);
}

/** Each row's name and the choice that holds. */
function rowsOf(body: Json): unknown {
  return (body["data"] as Json[]).map((row) => [row["name"], row["choice"]]);
}

function choiceIn({ body }: Answer, name: AssumptionName): unknown {
  return (body["data"] as Json[] | undefined)?.find((row) => row["name"] === name)?.["choice"];
}

/** A choice of the row that is not this one; undefined where there is none. */
function otherThan(name: AssumptionName, choice: string | number): string | number | undefined {
  if (typeof choice === "number") return choice + 1000;
  return Object.keys((ASSUMPTIONS[name] as Assumption).choices)
    .map((each) => filled(name, each))
    .find((each) => each !== choice);
}

async function provePixKeys(
  { create }: World,
  type: string,
  taken: readonly string[],
  refusedKeys: readonly string[],
): Promise<void> {
  for (const pix_key of taken)
    expect(await create("payout", { pix_key, pix_key_type: type })).toEqual(ok);
  for (const pix_key of refusedKeys)
    expect(await create("payout", { pix_key, pix_key_type: type })).toEqual(invalid("pix_key"));
}

async function provePaidStatus(
  { create, control, simulate, show }: World,
  status: string,
): Promise<void> {
  const { id } = (await create("payin")).body;
  expect(await control("POST", `/payins/${String(id)}/pay`)).toMatchObject({
    status: 200,
    body: { status },
  });
  expect(await show("payin", id)).toMatchObject({ status });

  const simulated = (await create("payin")).body["id"];
  await simulate("payin", simulated);
  expect(await show("payin", simulated)).toMatchObject({ status: "completed" });
}

/** The status of a payout after one that waits, from which it differs in some members; both are over in the end. */
async function statusOfSecondPayout(
  { create, simulate, show }: World,
  members: Json,
): Promise<unknown> {
  const first = await create("payout");
  const second = await create("payout", members);
  const { status } = await show("payout", second.body["id"]);
  for (const { body } of [first, second]) await simulate("payout", body["id"], "canceled");
  return status;
}

/** The status of an error of each code that can be had for the asking. */
async function statusesOfErrors({
  create,
  simulate,
  control,
}: World): Promise<Record<string, number>> {
  const key = { "x-idempotency-key": "order-1" };
  await create("payin", {}, key);
  const errors = [
    await create("payin", { value: -1 }),
    await create("payin", { value: 11 }, key),
    await simulate("payin", "no such id"),
  ];
  await control("PATCH", "/assumptions", { "header.missing": "unauthorized" });
  errors.push(await create("payin", {}, { "x-provider": null }));
  return Object.fromEntries(errors.map(({ body, status }) => [body["code"], status]));
}

/** What becomes of deliveries whose first attempts are answered so. */
async function statusesOfDeliveries(world: World, answers: readonly number[]): Promise<unknown[]> {
  const { create, simulate, advance, deliveries, merchant } = world;
  merchant.answerWith(((_received, index) => answers[index] ?? 200) satisfies Answering);
  for (let count = 0; count < answers.length; count++) {
    await simulate("payin", (await create("payin")).body["id"]);
    await advance(0);
  }
  return (await deliveries()).map(({ status }) => status);
}

/** When each attempt of a delivery that always fails was made, in the sandbox's seconds after its event. */
async function secondsOfAttempts({
  create,
  simulate,
  advance,
  deliveries,
  merchant,
}: World): Promise<number[]> {
  merchant.answerWith(503);
  await simulate("payin", (await create("payin", { expiration: 172_800 })).body["id"]);
  const { body } = await advance(76 * 3600);
  const happened = body["happened"] as readonly { at: string; kind: string; data: Json }[];
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
  const attempts = happened.filter(({ kind }) => kind === "attempt");
  // The first may have been made before time was moved.
  const seconds = attempts.map(
    ({ at }) => (Date.parse(at) - Date.parse(String(delivery?.["created_at"]))) / 1000,
  );
  expect(delivery?.attempts).toHaveLength(merchant.received.length);
  return seconds.length < merchant.received.length ? [0, ...seconds] : seconds;
}

function expectPng(base64: string): void {
  const { width, height } = PNG.sync.read(Buffer.from(base64, "base64"));
  expect(width).toBe(height);
}
