import { PNG } from "pngjs";
import { expect } from "vitest";
import { CPF, SAMPLES, invalid, ok, refused, type Json, type Proof, type World } from "./world.ts";

const EVP = "123e4567-e12b-42d1-a456-426655440000";
const EVP_V1 = EVP.replace("-4", "-1");
const WRONG_CPF = "52998224724";
const OTHER_CPF = "11144477735";
const THIRD_CPF = "12345678909";

/** What shows that a choice is in effect, for each choice of the rows about values, payins and payouts. */
export const TRANSACTION_PROOFS: Readonly<Record<string, Proof>> = {
  "value.unit=reais": async (world) => {
    const created = await world.create("payin", { value: 10.5 });
    expect(await world.show("payin", created.body["id"])).toMatchObject({ value: 10.5 });
    const wrong = [0, -1, 10.505, 10_000_000_000];
    await proveMember(world, "payin.value", [0.01, 9_999_999_999.99], wrong);
  },
  "value.unit=centavos": async (world) => {
    const { create, control, show, simulate, advance, merchant } = world;
    const created = await create("payin", { value: 1050 });
    expect(await show("payin", created.body["id"])).toMatchObject({ value: 1050 });
    const wrong = [0, -1, 10.5, 1_000_000_000_000];
    await proveMember(world, "payin.value", [1, 999_999_999_999], wrong);
    // A record stays in the unit that it was created in.
    await control("PATCH", "/assumptions", { "value.unit": "reais" });
    expect(await show("payin", (await create("payin", { value: 9.5 })).body["id"])).toMatchObject({
      value: 9.5,
    });
    expect(await show("payin", created.body["id"])).toMatchObject({ value: 1050 });
    await simulate("payin", created.body["id"]);
    await advance(0);
    expect(JSON.parse(merchant.received[0]?.body ?? "")).toMatchObject({ data: { value: 1050 } });
  },
  "country_code=two_letters": codes(["BR", "br", "AR"], ["BRA", "B", "55"]),
  "country_code=br_only": codes(["BR", "br"], ["AR", "BRA"]),
  "cpf.check=shape": async (world) => {
    await proveMember(world, "payin.buyer_cpf", [WRONG_CPF], ["5299822472"]);
    for (const field of ["payout.receiver_cpf", "payout.pix_key"])
      await proveMember(world, field, [WRONG_CPF], []);
  },
  "cpf.check=check_digits": async (world) => {
    for (const field of ["payin.buyer_cpf", "payout.receiver_cpf", "payout.pix_key"])
      await proveMember(world, field, [CPF], [WRONG_CPF]);
  },
  "phone.size=either": keys(
    "phone",
    ["+5511987654321", "+551187654321", "+4411987654321"],
    ["+55118765432"],
  ),
  "phone.size=words": keys("phone", ["+5511987654321"], ["+551187654321", "+4411987654321"]),
  "phone.size=size": keys("phone", ["+551187654321", "+119876543210"], ["+5511987654321"]),
  "evp.form=any": keys("evp", [EVP, EVP_V1.toUpperCase()], [EVP.replaceAll("-", "")]),
  "evp.form=lower_v4": keys("evp", [EVP], [EVP.toUpperCase(), EVP_V1]),
  "email.size=any": async (world) => {
    const long = `${"a".repeat(200)}@example.com`;
    await proveMember(world, "payin.buyer_email", [long], []);
    await keys("email", [long], ["maria"])(world);
  },
  "email.size=77": async (world) => {
    const [longest, longer] = [77, 78].map((length) => `${"a".repeat(length - 12)}@example.com`);
    for (const field of ["payin.buyer_email", "payout.receiver_email"])
      await proveMember(world, field, [longest], [longer]);
    await keys("email", [longest], [longer])(world);
  },
  "payin.generate_qrcode=false": (world) => proveImages(world, [undefined, false], [true]),
  "payin.generate_qrcode=true": (world) => proveImages(world, [false], [undefined, true]),
  "qr_code_base64.form=bare": (world) => proveImage(world, ""),
  "qr_code_base64.form=data_uri": (world) => proveImage(world, "data:image/png;base64,"),
  "payin.v2=only": async ({ call, create, merchant }) => {
    const first = await create("payin");
    const body = { ...SAMPLES.payin, webhook_url: merchant.url };
    const second = await call("POST", "/v2/payins", body);
    expect(second).toEqual(ok);
    expect(Object.keys(second.body)).toEqual(Object.keys(first.body));

    const wrong = await call("POST", "/v2/payins", { ...body, value: -1 });
    expect(wrong.headers["content-type"]).toBe("application/problem+json");
    expect(wrong).toMatchObject({
      status: 400,
      body: {
        status: 400,
        code: "VALIDATION_ERROR",
        errors: [{ field: "value", code: "INVALID_VALUE" }],
      },
    });
    expect(wrong.body).toHaveProperty("title");
    expect((await create("payin", { value: -1 })).headers["content-type"]).toBe("application/json");
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
  "payin.paid_status=paid": (world) => provePaidStatus(world, "paid"),
  "payin.paid_status=completed": (world) => provePaidStatus(world, "completed"),
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
      expect(answer.headers["retry-after"]).toMatch(/^([1-9]|[1-5]\d|60)$/);
    }
    const repeated = await create("payin", {}, key);
    expect(repeated).toEqual(ok);
    expect(repeated.headers["idempotent-replayed"]).toBe("true");
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
};

/** Creations with each value of a member, such as `payin.value`: those that are taken, and those that are refused. */
async function proveMember(
  { create }: World,
  name: string,
  taken: readonly unknown[],
  wrong: readonly unknown[],
): Promise<void> {
  const [noun, field] = name.split(".") as ["payin" | "payout", string];
  for (const value of taken) expect(await create(noun, { [field]: value })).toEqual(ok);
  for (const value of wrong) expect(await create(noun, { [field]: value })).toEqual(invalid(field));
}

/** Payouts with each Pix key of a type: those that are taken, and those that are refused. */
function keys(pix_key_type: string, taken: readonly unknown[], wrong: readonly unknown[]): Proof {
  return async ({ create }) => {
    for (const pix_key of taken)
      expect(await create("payout", { pix_key, pix_key_type })).toEqual(ok);
    for (const pix_key of wrong)
      expect(await create("payout", { pix_key, pix_key_type })).toEqual(invalid("pix_key"));
  };
}

function codes(taken: readonly string[], wrong: readonly string[]): Proof {
  return async ({ create }) => {
    for (const code of taken)
      expect(await create("payin", {}, { "x-country-code": code })).toEqual(ok);
    for (const code of wrong)
      expect(await create("payin", {}, { "x-country-code": code })).toEqual(
        invalid("x-country-code"),
      );
  };
}

async function provePaidStatus(
  { create, control, simulate, show }: World,
  status: string,
): Promise<void> {
  const { id } = (await create("payin")).body;
  await control("POST", `/payins/${String(id)}/pay`);
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

/** Payins without an image and with one, by what their calls say of it. */
async function proveImages(
  { create }: World,
  without: readonly unknown[],
  having: readonly unknown[],
): Promise<void> {
  for (const generate_qrcode of [...without, ...having]) {
    const { body } = await create("payin", { generate_qrcode });
    expect("qr_code_base64" in body).toBe(having.includes(generate_qrcode));
  }
}

async function proveImage({ create }: World, prefix: string): Promise<void> {
  const { body } = await create("payin", { generate_qrcode: true });
  const { qr_code_base64: image } = body as { qr_code_base64: string };
  expect(image.slice(0, prefix.length)).toBe(prefix);
  const base64 = image.slice(prefix.length);
  expect(base64).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
  const { width, height } = PNG.sync.read(Buffer.from(base64, "base64"));
  expect(width).toBe(height);
}
