import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HookedCall, type Sandbox, startSandbox } from "../../src/index.ts";

const reported: string[] = [];
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ report: (line) => reported.push(line) });
});
afterAll(() => sandbox.close());

const post = (path: string, body: unknown = {}): Promise<Response> =>
  fetch(`${sandbox.url}${path}`, {
    method: "POST",
    headers: sandbox.headers("shop"),
    body: JSON.stringify(body),
  });

describe("beforeResponse", () => {
  it("sees each gateway call, and changes nothing by itself", async () => {
    const calls: HookedCall[] = [];
    const statuses: number[] = [];
    const remove = sandbox.beforeResponse((call, { status }) => {
      calls.push(call);
      statuses.push(status);
    });
    const response = await post("/v1/payouts?at=now", { value: 25 });
    expect(await response.json()).toMatchObject({ code: "VALIDATION_ERROR" });
    await sandbox.payins.list();
    expect(calls).toEqual([
      { method: "POST", path: "/v1/payouts?at=now", integration: "shop", body: { value: 25 } },
    ]);
    expect(statuses).toEqual([400]);
    remove();
    remove();
    await post("/v1/payouts");
    expect(calls).toHaveLength(1);
  });

  it("sends the response that it returns, which the log shows, after each hook in turn", async () => {
    const removes = [
      sandbox.beforeResponse((_, { headers, body }) => ({
        status: 200,
        headers: { ...headers, "x-hook": "one" },
        body: { was: (body as { code: string }).code },
      })),
      sandbox.beforeResponse(async (_, response) => ({ ...response, body: [response.body] })),
    ];
    const response = await post("/v1/payouts");
    for (const remove of removes) remove();
    expect([response.status, response.headers.get("x-hook")]).toEqual([200, "one"]);
    expect(await response.text()).toBe('[{"was":"VALIDATION_ERROR"}]');
    const logged = (await sandbox.integration("shop").requests.list()).at(-1);
    expect(logged).toMatchObject({ status: 200, response: '[{"was":"VALIDATION_ERROR"}]' });
  });

  it("does not change the record", async () => {
    const remove = sandbox.beforeResponse((_, response) => ({
      ...response,
      body: { ...(response.body as object), qr_code: "other" },
    }));
    const { id } = await sandbox.payins.create();
    remove();
    expect((await sandbox.payins.get(id)).qrCode).not.toBe("other");
  });

  it.each([
    [
      () => {
        throw new Error("the hook threw");
      },
      "the hook threw",
    ],
    [() => 42, "it returned 42, not { status, headers, body }"],
    [() => ({ status: "abc", headers: {} }), 'it returned {"status":"abc","headers":{}}'],
  ])("names a hook that fails in the response: %#", async (hook, reason) => {
    const remove = sandbox.beforeResponse(
      hook as unknown as Parameters<Sandbox["beforeResponse"]>[0],
    );
    const response = await post("/v1/payouts");
    remove();
    expect(response.status).toBe(500);
    const { message } = (await response.json()) as { message: string };
    expect(message).toContain(`A function of beforeResponse failed: ${reason}`);
    expect(reported).toEqual([]);
  });
});
