import { expect } from "vitest";
import { type Answering, verified } from "../support/merchant.ts";
import { invalid, refused, type Json, type Proof, type World } from "./world.ts";

/** Those of rows about webhooks. */
export const WEBHOOK_PROOFS: Readonly<Record<string, Proof>> = {
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
