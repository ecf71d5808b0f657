import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import type * as bunEntry from "../../../src/test-frameworks/bun.ts";
import type { SandboxInUse } from "../../../src/test-frameworks/in-use.ts";
import type * as mochaEntry from "../../../src/test-frameworks/mocha.ts";
import { useSandbox, type TestContext } from "../../../src/test-frameworks/node-test.ts";
import { sandboxSetup } from "../../../src/test-frameworks/vitest-setup.ts";

// The entries run in the process of this test, with hooks that it calls itself. test/long has the real frameworks.
const frameworks = vi.hoisted(() => ({
  hooks: new Map<string, (this: { timeout(ms: number): void }) => Promise<void> | void>(),
  matchers: {} as Record<string, (this: object, ...args: unknown[]) => Promise<{ pass: boolean }>>,
}));
const hook = vi.hoisted(() => (name: string) => (run: () => Promise<void>) => {
  frameworks.hooks.set(name, run);
});
vi.mock("mocha", () => ({
  before: hook("before"),
  beforeEach: hook("beforeEach"),
  after: hook("after"),
}));
vi.mock("bun:test", () => ({
  beforeAll: hook("before"),
  beforeEach: hook("beforeEach"),
  afterAll: hook("after"),
}));
vi.mock("@jest/globals", () => ({
  afterEach: () => undefined,
  expect: {
    extend: (added: object) => Object.assign(frameworks.matchers, added),
    getState: () => ({ currentTestName: "a payment", testPath: "/project/shop.test.js" }),
  },
}));

beforeEach(() => {
  vi.stubEnv("PIX_SANDBOX_URL", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const isRunning = (url: string): Promise<boolean> =>
  fetch(`${url}/_sandbox/health`).then(
    ({ ok }) => ok,
    () => false,
  );

describe("useSandbox() of node:test", () => {
  /** A test's context; its end is when it is disposed of. */
  class Context implements TestContext, AsyncDisposable {
    readonly #ends: (() => Promise<void>)[] = [];
    after(run: () => Promise<void>): void {
      this.#ends.push(run);
    }
    async [Symbol.asyncDispose](): Promise<void> {
      for (const end of this.#ends) await end();
    }
  }

  it("shares one sandbox among tests that run at once, with an integration for each", async () => {
    const [first, second] = [new Context(), new Context()];
    const one = await useSandbox(first);
    const two = await useSandbox(second);
    expect(two.sandbox).toBe(one.sandbox);
    await one.integration.payins.create();
    expect([
      (await one.integration.payins.list()).length,
      (await two.integration.payins.list()).length,
    ]).toEqual([1, 0]);
    await first[Symbol.asyncDispose]();
    expect(await two.integration.payins.list()).toEqual([]);
    const url = two.sandbox.url;
    await second[Symbol.asyncDispose]();
    expect(await isRunning(url)).toBe(false);

    await using third = new Context();
    expect((await useSandbox(third)).sandbox).not.toBe(one.sandbox);
  });

  it("starts one of the test's own with options, with the same ids in each run", async () => {
    const idsOf = async () => {
      await using context = new Context();
      const { integration } = await useSandbox(context, { seed: "1" });
      return (await integration.payins.create()).id;
    };
    expect(await idsOf()).toBe(await idsOf());
  });

  it("uses the sandbox at PIX_SANDBOX_URL, and leaves it open", async () => {
    await using given = await startSandbox({ port: 0 });
    vi.stubEnv("PIX_SANDBOX_URL", given.url);
    const tokens: string[] = [];
    for (let count = 0; count < 2; count++) {
      await using context = new Context();
      const { sandbox, integration } = await useSandbox(context);
      expect(sandbox.url).toBe(given.url);
      await integration.payins.create();
      tokens.push(String(integration.headers()["x-api-token"]));
    }
    for (const token of tokens) expect(token).toMatch(/^test-[0-9a-f]{8}-1$/);
    expect(new Set(tokens).size).toBe(2);
    expect(await given.payins.list()).toHaveLength(2);
  });

  it("tries again after a start that failed", async () => {
    vi.stubEnv("PIX_SANDBOX_URL", "http://127.0.0.1:9");
    await expect(useSandbox(new Context())).rejects.toThrow("No sandbox responds at");
    vi.stubEnv("PIX_SANDBOX_URL", undefined);
    await using context = new Context();
    expect((await useSandbox(context)).sandbox.url).toMatch(/^http:/);
  });

  it.each([undefined, {}, { after: 1 }])(
    "requires the context of a test, not %o",
    async (context) => {
      await expect(useSandbox(context as TestContext)).rejects.toThrow(
        new TypeError(
          "Call useSandbox(t) in a test, with the context that node:test passes to it.",
        ),
      );
    },
  );
});

describe.each(["mocha", "bun"] as const)("useSandbox() of %s", (name) => {
  it("has a sandbox from before the first test until after the last, and an integration for each", async () => {
    const entry = (await import(`../../../src/test-frameworks/${name}.ts`)) as
      | typeof bunEntry
      | typeof mochaEntry;
    const inUse: SandboxInUse = entry.useSandbox({ seed: "1" });
    expect(() => inUse.sandbox).toThrow(
      'There is no sandbox yet. Store the result of useSandbox() and read its member "sandbox" in a hook or a test.',
    );
    expect(() => inUse.integration).toThrow(
      'its member "integration" in a beforeEach hook or a test.',
    );
    const timeouts: number[] = [];
    const run = (hooked: string) =>
      frameworks.hooks.get(hooked)?.call({ timeout: (ms) => void timeouts.push(ms) });
    await run("before");
    expect(timeouts).toEqual(name === "mocha" ? [30_000] : []);
    expect(() => inUse.integration).toThrow("There is no integration yet.");
    const tokens: (string | undefined)[] = [];
    for (let test = 0; test < 2; test++) {
      await run("beforeEach");
      tokens.push(inUse.integration.headers()["x-api-token"]);
    }
    expect(tokens).toEqual(["test-1", "test-2"]);
    const { url } = inUse.sandbox;
    await run("after");
    expect(await isRunning(url)).toBe(false);
  });
});

describe("the global setup of vitest", () => {
  it("provides the sandbox's address until its tear-down", async () => {
    const provided: unknown[] = [];
    const tearDown = await sandboxSetup({ seed: "1", controlToken: "secret-token" })({
      provide: (...one: unknown[]) => void provided.push(...one),
    } as never);
    expect(provided).toEqual([
      "pixSandbox",
      {
        url: expect.stringMatching(/^http:/) as string,
        secret: expect.stringMatching(/^whsec_/) as string,
        seed: "1",
        controlToken: "secret-token",
        traces: path.resolve("test-results/pix-sandbox"),
      },
    ]);
    const { url } = provided[1] as { url: string };
    expect(await isRunning(url)).toBe(true);
    await tearDown();
    expect(await isRunning(url)).toBe(false);
  });
});

describe("the matchers of jest", () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await startSandbox({ port: 0 });
    vi.resetModules();
  });
  afterEach(() => sandbox.close());

  it("need the global setup", async () => {
    const { connectedSandbox } = await import("../../../src/test-frameworks/jest.ts");
    await expect(connectedSandbox()).rejects.toThrow(
      'No sandbox was started; add "pix-sandbox/jest/setup" as globalSetup and "pix-sandbox/jest/teardown" as globalTeardown.',
    );
  });

  it("use the setup's sandbox, with an integration for each worker", async () => {
    vi.stubEnv("PIX_SANDBOX_URL", sandbox.url);
    vi.stubEnv("JEST_WORKER_ID", "3");
    const jest = await import("../../../src/test-frameworks/jest.ts");
    expect(await jest.connectedSandbox()).toBe(await jest.connectedSandbox());
    const worker = await jest.workerIntegration();
    expect(worker.headers()["x-api-token"]).toBe("worker-3");
    await worker.payins.create();
    expect(await (await jest.freshIntegration()).payins.list()).toEqual([]);
    vi.stubEnv("JEST_WORKER_ID", undefined);
    expect((await jest.workerIntegration()).headers()["x-api-token"]).toBe("worker-1");
  });

  it("wait for a webhook, and for a request", async () => {
    vi.stubEnv("PIX_SANDBOX_URL", sandbox.url);
    const jest = await import("../../../src/test-frameworks/jest.ts");
    const shop = (await jest.connectedSandbox()).integration("shop");
    const receiver = await shop.receiver();
    const { id } = await shop.payins.create({ value: 10.5, webhookUrl: receiver.url });
    await shop.payins.pay(id);
    const { toHaveBeenDelivered, toHaveReceived } = frameworks.matchers;
    const quick = { timeoutMs: 1 };
    expect(await toHaveBeenDelivered?.call({}, id, "payin.paid")).toMatchObject({ pass: true });
    expect(await toHaveBeenDelivered?.call({}, id, "payin.expired", quick)).toMatchObject({
      pass: false,
    });
    expect(await toHaveBeenDelivered?.call({ isNot: true }, id, "payin.expired")).toMatchObject({
      pass: false,
    });
    const call = ["POST /v1/payins", { value: 10.5 }] as const;
    expect(await toHaveReceived?.call({}, shop, ...call)).toMatchObject({ pass: true });
    expect(await toHaveReceived?.call({ isNot: true }, shop, ...call)).toMatchObject({
      pass: true,
    });
    expect(
      await toHaveReceived?.call({}, shop, "POST /v1/payins", { value: 11 }, quick),
    ).toMatchObject({ pass: false });
  });
});
