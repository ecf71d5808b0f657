import { createFolder } from "../support/folder.ts";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";
import { call, control, type Json } from "../support/gateway.ts";
import { BUYER } from "../support/calls.ts";
import {
  add,
  advance,
  createPayin,
  createPayout,
  deliveries,
  merchant,
  paid,
  replaceSandbox,
  sandbox,
  show,
  token,
  useFaults,
} from "./faults.ts";

useFaults();

describe("faults", () => {
  it("are created, listed with how often each was used, counted down and taken away", async () => {
    const fault = await add({
      on: "payins.create",
      effect: "error=NOT_PROCESSABLE",
      times: 2,
      match: { buyer_cpf: BUYER.buyer_cpf },
    });
    expect(fault).toEqual({
      id: expect.stringMatching(/^flt_[0-9a-f]{32}$/) as string,
      on: "payins.create",
      effect: "error=NOT_PROCESSABLE",
      match: { buyer_cpf: BUYER.buyer_cpf },
      times: 2,
      used: 0,
      integration: token,
    });
    expect((await createPayin({ members: { buyer_cpf: "98765432100" } })).status).toBe(200);
    const refused = await createPayin();
    expect(refused.status).toBe(422);
    expect(refused.json).toMatchObject({ code: "NOT_PROCESSABLE", errors: [] });
    expect((refused.json as Json)["message"]).toContain("fault of the sandbox");
    expect(await show(fault["id"])).toMatchObject({ times: 1, used: 1 });
    expect((await createPayin()).status).toBe(422);
    expect((await createPayin()).status).toBe(200);
    expect(await show(fault["id"])).toMatchObject({ times: 0, used: 2 });

    const other = await add({ on: "webhook", effect: "early" });
    const page = await control(sandbox, token, "GET /faults?limit=1");
    expect(page).toMatchObject({ data: [{ id: fault["id"] }], next: fault["id"] });
    const rest = await control(sandbox, token, `GET /faults?after=${String(page["next"])}`);
    expect(rest).toMatchObject({ data: [{ id: other["id"] }], next: null });
    expect(await control(sandbox, token, `DELETE /faults/${String(fault["id"])}`)).toMatchObject({
      id: fault["id"],
    });
    expect(await control(sandbox, token, "DELETE /faults")).toMatchObject({
      data: [{ id: other["id"] }],
    });
    expect(await control(sandbox, token, "GET /faults")).toEqual({ data: [], next: null });
  });

  it("are one integration's, or all integrations' without a token", async () => {
    const own = await add({ on: "payins.create", effect: "error=NOT_PROCESSABLE" });
    const everyones = await add({ on: "payouts.create", effect: "error=NOT_PROCESSABLE" }, null);
    const all = async (whose?: string) =>
      ((await control(sandbox, whose, "GET /faults"))["data"] as Json[]).map(({ id }) => id);
    expect(everyones["integration"]).toBeNull();
    expect(await all()).toEqual([own["id"], everyones["id"]]);
    expect(await all(token)).toEqual([own["id"]]);
    expect(await all("other")).toEqual([]);
    expect((await createPayin({ token: "other" })).status).toBe(200);
    expect((await createPayout({ token: "other" })).status).toBe(422);
    expect((await createPayout()).status).toBe(422);
    for (const [method, rest] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/release"],
    ] as const) {
      const answer = await call(sandbox, {
        method,
        path: `/_sandbox/faults/${String(own["id"])}${rest}`,
        headers: { "x-api-token": "other" },
      });
      expect(answer.status).toBe(404);
    }
    await control(sandbox, token, "DELETE /faults");
    expect(await all()).toEqual([everyones["id"]]);
    await control(sandbox, undefined, "DELETE /faults");
    expect(await all()).toEqual([]);
  });

  it.each([
    [{}, ["on REQUIRED_VALUE", "effect REQUIRED_VALUE"]],
    [{ on: "payments", effect: "hold" }, ["on INVALID_VALUE"]],
    [{ on: "webhook", effect: "hold" }, ["effect INVALID_VALUE"]],
    [{ on: "payins.create", effect: "duplicate" }, ["effect INVALID_VALUE"]],
    [{ on: "payins.create", effect: "error=TEAPOT" }, ["effect INVALID_VALUE"]],
    [{ on: "payins.create", effect: "hold", times: 0 }, ["times INVALID_VALUE"]],
    [
      { on: "payins.create", effect: "duplicate", times: "once" },
      ["times INVALID_VALUE", "effect INVALID_VALUE"],
    ],
    [{ on: "payins.create", effect: "hold", probability: 1.1 }, ["probability INVALID_VALUE"]],
    [{ on: "payins.create", effect: "hold", match: [] }, ["match INVALID_VALUE"]],
    [{ on: "payins.create", effect: "hold", time: 1 }, ["time INVALID_VALUE"]],
  ])("are refused where they make no sense: %j", async (body, expected) => {
    const { status, json } = await call(sandbox, { path: "/_sandbox/faults", body });
    const { errors } = json as { errors: { field: string; code: string }[] };
    expect(status).toBe(400);
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual(expected);
  });

  it("survive a restart, with how often they were used, and so do the faults of webhooks", async () => {
    await using folder = await createFolder();
    const options = { stateFile: folder.at("state.json"), clock: "frozen" } as const;
    await sandbox.close();
    replaceSandbox(await startSandbox(options));
    const gone = await add({ on: "payins.create", effect: "hold" });
    const fault = await add({ on: "payouts.create", effect: "error=NOT_PROCESSABLE", times: 2 });
    await add({ on: "webhook", effect: "delay_ms=5000", times: 1 }, null);
    await control(sandbox, token, `DELETE /faults/${String(gone["id"])}`);
    expect((await createPayout()).status).toBe(422);
    const id = await paid();
    const before = await control(sandbox, undefined, "GET /faults");
    await sandbox.close();

    replaceSandbox(await startSandbox(options));
    expect(await control(sandbox, undefined, "GET /faults")).toEqual(before);
    expect(await show(fault["id"])).toMatchObject({ times: 1, used: 1 });
    expect((await createPayout()).status).toBe(422);
    expect((await createPayout()).status).toBe(200);
    expect(merchant.received).toEqual([]);
    await advance(5);
    expect(await deliveries()).toMatchObject([
      { transaction_id: id, status: "delivered", fault: "delay_ms=5000" },
    ]);
    await sandbox.close();
  });
});
