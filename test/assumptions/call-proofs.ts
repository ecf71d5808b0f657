import { expect } from "vitest";
import { verified } from "../support/merchant.ts";
import { LISTED, SAMPLES, invalid, ok, refused, type Proof, type World } from "./world.ts";

const SIMULATION = { transaction_id: "a", status: "completed" };
const KEY = { "x-idempotency-key": "order-1" };
const USED = refused(409, "DUPLICATED_VALUE", "x-idempotency-key");
const REFUSED = refused(422, "NOT_PROCESSABLE", "transaction_id");

/** Those of rows about calls. */
export const CALL_PROOFS: Readonly<Record<string, Proof>> = {
  "simulation.final=reject": async ({ create, simulate, deliveries }) => {
    for (const noun of ["payin", "payout"] as const) {
      const { id } = (await create(noun)).body;
      expect(await simulate(noun, id)).toEqual(ok);
      for (const wrong of [id, "no such id"]) expect(await simulate(noun, wrong)).toEqual(REFUSED);
    }
    expect(await deliveries()).toHaveLength(2);
  },
  "simulation.final=repeat": async ({ create, simulate, deliveries }) => {
    for (const noun of ["payin", "payout"] as const) {
      const { id } = (await create(noun)).body;
      const first = await simulate(noun, id);
      expect(first).toEqual(ok);
      expect((await simulate(noun, id)).body).toEqual(first.body);
      expect(await simulate(noun, "no such id")).toEqual(REFUSED);
    }
    expect(await deliveries()).toHaveLength(2);
    const { id } = (await create("payout")).body;
    await simulate("payout", id, "canceled");
    expect(await simulate("payout", id, "completed")).toEqual(REFUSED);
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
  "error.status=distinct": (world) => proveStatuses(world, [400, 401, 409, 422]),
  "error.status=always_400": (world) => proveStatuses(world, [400, 400, 400, 400]),
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
    const configuration = { webhook_url: merchant.url, events: ["payment.failed"], surprise: 1 };
    for (const answer of [
      await create("payin", { surprise: 1 }),
      await create("payout", { surprise: 1 }),
      await call("POST", "/v1/payins/simulations", { ...SIMULATION, surprise: 1 }),
      await call("PUT", "/v1/webhooks", configuration),
    ])
      expect(answer).toEqual(invalid("surprise"));
  },
  "idempotency.repeat=replay": async ({ create, control }) => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create("payin", {}, KEY)));
    const late = await create("payin", {}, KEY);
    const fresh = answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined);
    expect(fresh).toHaveLength(1);
    for (const answer of [...answers, late])
      expect(answer).toMatchObject({ status: 200, body: fresh[0]?.body });
    expect(late.headers["idempotent-replayed"]).toBe("true");
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);
  },
  "idempotency.repeat=reject": async ({ create, control }) => {
    expect(await create("payin", {}, KEY)).toEqual(ok);
    expect(await create("payin", {}, KEY)).toEqual(USED);
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);
  },
  "idempotency.mismatch=reject": async ({ create, control }) => {
    expect(await create("payin", {}, KEY)).toEqual(ok);
    expect(await create("payin", { value: 11 }, KEY)).toEqual(USED);
    expect(await create("payout", {}, KEY)).toEqual(USED);
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);
  },
  "idempotency.mismatch=replay": async ({ create, control }) => {
    const first = await create("payin", {}, KEY);
    const other = await create("payin", { value: 11 }, KEY);
    expect(other).toMatchObject({ status: 200, body: first.body });
    expect(other.headers["idempotent-replayed"]).toBe("true");
    // A payout's answer cannot be a payin's.
    expect(await create("payout", {}, KEY)).toEqual(USED);
    expect((await control("GET", "/payins")).body["data"]).toHaveLength(1);
  },
  "idempotency.retention_seconds=<seconds>": async ({ create, advance }) => {
    const first = await create("payin", {}, KEY);
    await advance(6.999);
    expect((await create("payin", {}, KEY)).body["id"]).toBe(first.body["id"]);
    await advance(0.001);
    const later = await create("payin", {}, KEY);
    expect(later).toEqual(ok);
    expect(later.body["id"]).not.toBe(first.body["id"]);
  },
};

/** The statuses of one error of each code, but for EXTERNAL_ERROR. */
async function proveStatuses(
  { create, simulate, control }: World,
  statuses: readonly number[],
): Promise<void> {
  await create("payin", {}, KEY);
  const errors = [
    await create("payin", { value: -1 }),
    await create("payin", { value: 11 }, KEY),
    await simulate("payin", "no such id"),
  ];
  await control("PATCH", "/assumptions", { "header.missing": "unauthorized" });
  errors.splice(1, 0, await create("payin", {}, { "x-provider": null }));
  const codes = ["VALIDATION_ERROR", "NO_ACTIVE_CREDENTIAL", "DUPLICATED_VALUE", "NOT_PROCESSABLE"];
  expect(errors.map(({ body, status }) => [body["code"], status])).toEqual(
    codes.map((code, index) => [code, statuses[index]]),
  );
}
