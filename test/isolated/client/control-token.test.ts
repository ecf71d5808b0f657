import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { TestProject } from "vitest/node";
import { createClient, type Sandbox, startSandbox } from "../../../src/index.ts";
import { connectTo } from "../../../src/client/connect.ts";
import { sandboxSetup, sandboxTeardown } from "../../../src/test-frameworks/jest-setup.ts";
import { sandboxSetup as vitestSetup } from "../../../src/test-frameworks/vitest-setup.ts";

const TOKEN = "correct-horse:battery/staple";
const VARIABLE = "PIX_SANDBOX_CONTROL_TOKEN";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ controlToken: TOKEN });
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => sandbox.close());

describe("a sandbox that is started with a control token", () => {
  it("is protected, and its own client sends the token", async () => {
    const shop = sandbox.integration("shop");
    const payin = await shop.payins.create();
    await shop.payins.pay(payin.id);
    await shop.webhooks.waitFor({ type: "payin.paid", transactionId: payin.id });
    await sandbox.clock.advance({ seconds: 1 });

    expect((await sandbox.fetch("/_sandbox/secret")).status).toBe(401);
    expect((await fetch(`${sandbox.url}/_sandbox/secret`)).status).toBe(401);
  });

  it.each(["", " ", "let me in", "senha-não", 42, null])(
    "refuses the token %j, and does not show it",
    async (controlToken) => {
      const error: unknown = await startSandbox({ controlToken: controlToken as string }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain("The option controlToken must be a non-empty string");
      expect(String(error)).toContain("not another value.");
    },
  );
});

describe("a client of a protected sandbox elsewhere", () => {
  it("sends the token that it is given", async () => {
    const client = createClient({ baseUrl: sandbox.url, controlToken: TOKEN });
    expect(await client.signing()).toMatchObject({ secret: sandbox.secret });
    const payin = await client.integration("elsewhere").payins.create();
    expect(await client.payins.get(payin.id)).toMatchObject({ id: payin.id });
    const types: string[] = [];
    const stop = client.on("payin.paid", ({ type }) => void types.push(type));
    await client.payins.pay(payin.id);
    await expect.poll(() => types).toEqual(["payin.paid"]);
    stop();
  });

  it("sends the token of the environment by default", async () => {
    vi.stubEnv(VARIABLE, TOKEN);
    expect(await createClient({ baseUrl: sandbox.url }).signing()).toMatchObject({
      secret: sandbox.secret,
    });
    expect((await connectTo(sandbox.url)).secret).toBe(sandbox.secret);
  });

  it("reports that the token is missing or wrong", async () => {
    vi.stubEnv(VARIABLE, "");
    for (const controlToken of [undefined, "wrong"]) {
      const client = createClient({ baseUrl: sandbox.url, controlToken });
      await expect(client.payins.list()).rejects.toMatchObject({
        name: "SandboxError",
        status: 401,
        code: "NO_ACTIVE_CREDENTIAL",
        message: expect.stringContaining(VARIABLE),
      });
    }
  });

  it("refuses a token that a header cannot contain, and does not show it", () => {
    expect(() => createClient({ controlToken: "let me in" })).toThrow(
      /^The controlToken \(or PIX_SANDBOX_CONTROL_TOKEN\) must be a non-empty string of ASCII letters, digits and punctuation, without spaces\.$/,
    );
  });
});

describe("a protected sandbox of a test framework", () => {
  it("is known to jest's workers by the environment", async () => {
    vi.stubEnv(VARIABLE, "of-the-machine");
    await sandboxSetup({ controlToken: TOKEN })();
    expect(process.env[VARIABLE]).toBe(TOKEN);
    await connectTo(process.env["PIX_SANDBOX_URL"] ?? "");
    await sandboxTeardown();
    expect(process.env[VARIABLE]).toBe("of-the-machine");
  });

  it("is known to vitest's workers by what the setup provides", async () => {
    const provide = vi.fn<TestProject["provide"]>();
    const close = await vitestSetup({ controlToken: TOKEN })({ provide });
    expect(provide).toHaveBeenCalledWith(
      "pixSandbox",
      expect.objectContaining({ controlToken: TOKEN }),
    );
    await close();
  });
});
