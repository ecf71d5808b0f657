import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";
import { type Answer, call, control, type Json, recordsOf } from "../../support/gateway.ts";
import { BUYER } from "../../support/calls.ts";

const PAYIN = { ...BUYER, webhook_url: "http://127.0.0.1:9/hook" };

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ assumptions: { "rate_limit.per_minute": 2 } });
});
afterEach(() => sandbox.close());

function create(key: string, headers: Record<string, string> = {}, members: Json = {}) {
  return call(sandbox, {
    path: "/v1/payins",
    token: "shop",
    headers: { ...headers, "x-idempotency-key": key },
    body: { ...PAYIN, ...members },
  });
}

const isReplayed = ({ status, headers }: Answer) => [
  status,
  headers["idempotent-replayed"] === "true",
];

const untilHeld = async (count: number): Promise<string> => {
  let id = "";
  const held = async () => {
    const { data } = (await control(sandbox, "shop", "GET /faults")) as { data: Json[] };
    id = String(data[0]?.["id"]);
    return (data[0]?.["held"] as unknown[] | undefined)?.length ?? 0;
  };
  await expect.poll(held).toBe(count);
  return id;
};

describe("a repeat", () => {
  it("gets its response even if the rate limit refuses a first call, and is not counted", async () => {
    expect((await create("one")).status).toBe(200);
    expect(isReplayed(await create("one"))).toEqual([200, true]);
    expect((await create("two")).status).toBe(200);
    expect((await create("three")).status).toBe(429);
    expect(isReplayed(await create("one"))).toEqual([200, true]);
    expect((await create("one", {}, { value: 99 })).status).toBe(409);
  });

  it("gets no fault, and uses none up", async () => {
    await create("one");
    const fault = { on: "payins.create", effect: "error=EXTERNAL_ERROR", times: 1 };
    const { id } = await control(sandbox, "shop", "POST /faults", fault);
    const asked = { "x-sandbox-fault": "lost_answer" };
    expect(isReplayed(await create("one", asked))).toEqual([200, true]);
    expect(await control(sandbox, "shop", `GET /faults/${String(id)}`)).toMatchObject({ used: 0 });
  });
});

describe("a first call", () => {
  it("is refused by the rate limit before a fault acts on it", async () => {
    await create("one");
    await create("two");
    const { id } = await control(sandbox, "shop", "POST /faults", {
      on: "payins.create",
      effect: "latency_ms=600000",
    });
    expect((await create("three")).status).toBe(429);
    expect((await create("three", { "x-sandbox-fault": "hold" })).status).toBe(429);
    expect(await control(sandbox, "shop", `GET /faults/${String(id)}`)).toMatchObject({ used: 0 });
  });

  it("is counted when it arrives, not when its fault lets it go", async () => {
    const held = create("one", { "x-sandbox-fault": "hold" });
    const id = await untilHeld(1);
    expect((await create("two")).status).toBe(200);
    expect((await create("three")).status).toBe(429);
    await control(sandbox, "shop", `POST /faults/${id}/release`);
    expect((await held).status).toBe(200);
  });
});

describe("a call that waited while another used its key", () => {
  it("repeats that call's answer", async () => {
    await control(sandbox, "shop", "POST /faults", { on: "payins.create", effect: "hold" });
    const both = [create("same"), create("same")];
    const id = await untilHeld(2);
    await control(sandbox, "shop", `POST /faults/${id}/release`);
    const [one, other] = (await Promise.all(both)).map(isReplayed);
    expect([one, other].toSorted()).toEqual([
      [200, false],
      [200, true],
    ]);
    expect(await recordsOf(sandbox, "shop", "payins")).toHaveLength(1);
  });

  it("is refused if its request is another", async () => {
    const late = create("same", { "x-sandbox-fault": "hold" }, { value: 99 });
    const id = await untilHeld(1);
    expect((await create("same")).status).toBe(200);
    await control(sandbox, "shop", `POST /faults/${id}/release`);
    expect((await late).status).toBe(409);
  });
});
