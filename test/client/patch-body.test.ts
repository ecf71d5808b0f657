import { BUYER } from "../support/calls.ts";
import { afterEach, beforeAll, afterAll, describe, expect, it } from "vitest";
import { patchJson } from "../../src/core/faults/effects.ts";
import { type CallEffect, type Sandbox, startSandbox } from "../../src/index.ts";
import { createFolder } from "../support/folder.ts";

const PAYIN = { ...BUYER, webhook_url: "http://127.0.0.1:1/hook" };

/** JSON of objects, one in the other. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
}

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.reset());
afterAll(() => sandbox.close());

async function create(given: Sandbox, headers = given.headers(), body: object = PAYIN) {
  const response = await given.fetch("/v1/payins", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe("patch_body", () => {
  it("changes one response, and not its record or its repeat", async () => {
    await sandbox.faults.once("payins.create", 'patch_body={"pix_id": null, "extra": {"a": 1}}');
    const headers = sandbox.headers();
    const first = await create(sandbox, headers);
    const { id } = first.body as { id: string };
    expect(first.body).toMatchObject({ id, extra: { a: 1 } });
    expect(first.body).not.toHaveProperty("pix_id");
    const repeat = await create(sandbox, headers);
    expect(repeat.headers.get("idempotent-replayed")).toBe("true");
    const { pixId } = await sandbox.payins.get(id);
    expect(repeat.body).toMatchObject({ id, pix_id: pixId });
    expect(repeat.body).not.toHaveProperty("extra");
    const [logged] = await sandbox.requests.list();
    expect(JSON.parse(logged?.response ?? "")).toEqual(first.body);
    await sandbox.expectNoUnusedFaults();
  });

  it("changes the response of a call that the gateway refuses", async () => {
    await sandbox.faults.once("payouts.simulate", 'patch_body={"code":"OTHER"}');
    const refused = await sandbox.fetch("/v1/payouts/simulations", {
      method: "POST",
      headers: { ...sandbox.headers(), "content-type": "application/json" },
      body: JSON.stringify({ transaction_id: crypto.randomUUID(), status: "completed" }),
    });
    expect([refused.status, await refused.json()]).toMatchObject([422, { code: "OTHER" }]);
  });

  it("is requested by a header, in UTF-8", async () => {
    const { body } = await create(sandbox, {
      ...sandbox.headers(),
      "x-sandbox-fault": Buffer.from('patch_body={"id":"edição"}').toString("latin1"),
    });
    expect(body).toMatchObject({ id: "edição" });
  });

  it("survives a restart", async () => {
    await using folder = await createFolder();
    const options = { stateFile: folder.at("state.json") };
    const first = await startSandbox(options);
    const { id } = await first.faults.once("payins.create", 'patch_body={ "note": "é\\n" }');
    await first.close();
    await using second = await startSandbox(options);
    expect(await second.faults.list()).toMatchObject([
      { id, effect: 'patch_body={"note":"é\\n"}' },
    ]);
    expect((await create(second)).body).toMatchObject({ note: "é\n" });
  });

  it.each([
    "patch_body",
    "patch_body=",
    "patch_body=1",
    "patch_body=[]",
    "patch_body=null",
    "patch_body={",
  ])("refuses %s", async (effect) => {
    await expect(sandbox.faults.once("payins.create", effect as CallEffect)).rejects.toMatchObject({
      status: 400,
      errors: [{ field: "effect" }],
    });
  });

  it("refuses a patch of more than 32 levels, as a body, in a header and in fixtures", async () => {
    for (const levels of [33, 20_000]) {
      const effect: CallEffect = `patch_body=${nested(levels)}`;
      await expect(sandbox.faults.once("payins.create", effect)).rejects.toMatchObject({
        status: 400,
        errors: [{ field: "effect", code: "INVALID_VALUE" }],
      });
      await expect(
        startSandbox({ fixtures: [{ faults: [{ on: "payins.create", effect }] }] }),
      ).rejects.toThrow("faults.0.effect: effect must be one of");
    }
    // Node accepts 16 KiB of headers.
    const headers = { ...sandbox.headers(), "x-sandbox-fault": `patch_body=${nested(2000)}` };
    const refused = await create(sandbox, headers);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        code: "VALIDATION_ERROR",
        errors: [{ field: "x-sandbox-fault", code: "INVALID_VALUE" }],
      },
    });
    expect((await create(sandbox)).status).toBe(200);
  });

  it("takes a patch of 32 levels", async () => {
    await sandbox.faults.once("payins.create", `patch_body=${nested(32)}`);
    const { status, body } = await create(sandbox);
    expect([status, body]).toMatchObject([200, { id: expect.any(String) as string, a: {} }]);
  });

  // The examples of RFC 7396, appendix A, whose patch is an object.
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [["a", "b"], { a: "b" }, { a: "b" }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("merges as RFC 7396: %j and %j", (target, patch, result) => {
    expect(JSON.parse(patchJson(JSON.stringify(target), JSON.stringify(patch)))).toEqual(result);
  });

  it("takes __proto__ as a member like any other", () => {
    expect(patchJson("{}", '{"__proto__":{"a":1}}')).toBe('{"__proto__":{"a":1}}');
  });
});
