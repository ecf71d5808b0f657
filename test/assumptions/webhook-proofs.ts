import { expect } from "vitest";
import { type Received, verified } from "../support/merchant.ts";
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

    for (const [noun, moves] of [
      ["payin", ["pay", "cancel", "expire"]],
      ["payout", ["complete", "cancel"]],
    ] as const)
      for (const move of moves) {
        const { id } = (await create(noun)).body;
        await control("POST", `/${noun}s/${String(id)}/${move}`);
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
  "webhook.payload=only": async (world) => {
    const { method, headers, body } = await receivedBy(world);
    expect([method, headers["content-type"]]).toEqual(["POST", "application/json"]);
    const { id } = (JSON.parse(body) as { data: Json }).data;
    const { integration: _integration, ...data } = await world.show("payin", id);
    expect(JSON.parse(body)).toEqual({
      id: headers["webhook-id"],
      type: "payin.paid",
      created_at: data["settled_at"],
      data,
    });
  },
  "webhook.signature=standard_webhooks": async (world) => {
    const received = await receivedBy(world);
    expect(verified(received, world.secret)).toMatchObject({ type: "payin.paid" });
  },
  "webhook.signature=none": async (world) => {
    const { method, headers } = await receivedBy(world);
    expect(method).toBe("POST");
    expect(Object.keys(headers).filter((name) => name.startsWith("webhook-"))).toEqual([]);
  },
  "webhook.success=2xx": (world) => proveDelivered(world, [200, 201, 204], [301, 500]),
  "webhook.success=only_200": (world) => proveDelivered(world, [200], [201, 204, 301, 500]),
  "webhook.timeout_seconds=<seconds>": async (world) => {
    world.merchant.answerWith("hold");
    await receivedBy(world);
    expect((await world.deliveries())[0]?.attempts).toMatchObject([
      { error: "no answer within 1 s" },
    ]);
  },
  "webhook.retries=laptop": (world) => proveAttemptsAt(world, [0, 1, 6, 31]),
  "webhook.retries=production": (world) =>
    proveAttemptsAt(world, [0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705, 185_705, 272_105]),
  "webhook.retries=none": (world) => proveAttemptsAt(world, [0]),
};

/** The webhook of a payin that is paid. */
async function receivedBy({ create, simulate, advance, merchant }: World): Promise<Received> {
  await simulate("payin", (await create("payin")).body["id"]);
  await advance(0);
  const [received] = merchant.received;
  if (!received) throw new Error("Nothing was received.");
  return received;
}

/** Which answers to a first attempt deliver a webhook, and which leave it pending. */
async function proveDelivered(
  world: World,
  delivering: readonly number[],
  failing: readonly number[],
): Promise<void> {
  const answers = [...delivering, ...failing];
  world.merchant.answerWith((_received, index) => answers[index] ?? 200);
  for (let count = 0; count < answers.length; count++) await receivedBy(world);
  const statuses = (await world.deliveries()).map(({ status }) => status);
  expect(statuses).toEqual(
    answers.map((answer) => (delivering.includes(answer) ? "delivered" : "pending")),
  );
}

/** When each attempt of a delivery that always fails is made, in the sandbox's seconds after its event. */
async function proveAttemptsAt(world: World, times: readonly number[]): Promise<void> {
  const { create, simulate, advance, deliveries, merchant } = world;
  merchant.answerWith(503);
  await simulate("payin", (await create("payin", { expiration: 172_800 })).body["id"]);
  const { body } = await advance(76 * 3600);
  const happened = body["happened"] as readonly { at: string; kind: string }[];
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
  expect([delivery?.attempts.length, merchant.received.length]).toEqual([
    times.length,
    times.length,
  ]);
  const createdMs = Date.parse(String(delivery?.["created_at"]));
  const seconds = happened.flatMap(({ kind, at }) =>
    kind === "attempt" ? [(Date.parse(at) - createdMs) / 1000] : [],
  );
  // The first may have been made before time was moved.
  expect(seconds).toEqual(times.slice(-seconds.length || times.length));
  expect(times.length - seconds.length).toBeLessThan(2);
}
