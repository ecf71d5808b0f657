import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
  type SuiteHooks,
  useSandbox,
} from "../../../src/index.ts";
import {
  sandboxSetup as jestSetup,
  sandboxTeardown,
} from "../../../src/test-frameworks/jest-setup.ts";
import { sandboxSetup } from "../../../src/test-frameworks/vitest-setup.ts";

// The entries run in the process of this test, with hooks that it calls itself. test/long has the real frameworks.
const frameworks = vi.hoisted(() => ({
  matchers: {} as Record<string, (this: object, ...args: unknown[]) => Promise<{ pass: boolean }>>,
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

/** A suite whose hooks the test runs. */
class Suite implements AsyncDisposable {
  readonly #runs: Partial<Record<keyof SuiteHooks, (this: object) => unknown>> = {};
  readonly used;

  constructor(options?: SandboxOptions) {
    const keep = (name: keyof SuiteHooks) => (run: () => unknown) => {
      this.#runs[name] = run;
    };
    const hooks = { before: keep("before"), beforeEach: keep("beforeEach"), after: keep("after") };
    this.used = useSandbox(hooks, options);
  }

  /** @param context what the framework binds its hooks to */
  async run(hook: keyof SuiteHooks, context = {}): Promise<void> {
    await this.#runs[hook]?.call(context);
  }

  /** Starts a test. @returns its token */
  async begin(): Promise<string> {
    await this.run("beforeEach");
    return this.used.integration.token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run("after");
  }
}

describe("useSandbox()", () => {
  it("has a sandbox from before the first test until after the last, and an integration for each", async () => {
    const suite = new Suite({ seed: "1" });
    const { used } = suite;
    expect(() => used.sandbox).toThrow(
      'There is no sandbox yet. Store the result of useSandbox() and read its member "sandbox" in a hook or a test.',
    );
    const timeouts: number[] = [];
    await suite.run("before", { timeout: (ms: number) => void timeouts.push(ms) });
    expect(timeouts).toEqual([30_000]);
    expect(() => used.integration).toThrow(
      'There is no integration yet. Store the result of useSandbox() and read its member "integration" in a beforeEach hook or a test.',
    );
    expect([await suite.begin(), await suite.begin()]).toEqual(["test-1", "test-2"]);
    const { url } = used.sandbox;
    await suite.run("after");
    expect(await isRunning(url)).toBe(false);
  });

  it("shares one sandbox among suites without options, and tells their programs of it", async () => {
    const [first, second] = [new Suite(), new Suite()];
    await first.run("before");
    await second.run("before");
    const { sandbox } = first.used;
    expect(second.used.sandbox).toBe(sandbox);
    expect([await first.begin(), await second.begin()]).toEqual(["test-1", "test-2"]);
    expect(process.env).toMatchObject({
      PIX_SANDBOX_URL: sandbox.url,
      PIX_SANDBOX_BASE_URL: sandbox.baseUrl,
      PIX_SANDBOX_SECRET: sandbox.secret,
      PIX_SANDBOX_TOKEN: expect.any(String) as string,
    });
    await first.run("after");
    await second.used.integration.payins.create();
    await second.run("after");
    expect(await isRunning(sandbox.url)).toBe(false);
    expect(process.env["PIX_SANDBOX_URL"]).toBeUndefined();

    await using third = new Suite();
    await third.run("before");
    expect(third.used.sandbox).not.toBe(sandbox);
  });

  it("starts one of the suite's own with options, with the same ids in each run", async () => {
    const idOf = async () => {
      await using suite = new Suite({ seed: "1" });
      await suite.run("before");
      await suite.begin();
      expect(process.env["PIX_SANDBOX_URL"]).toBeUndefined();
      return (await suite.used.integration.payins.create()).id;
    };
    expect(await idOf()).toBe(await idOf());
  });

  it("uses the sandbox at PIX_SANDBOX_URL, and leaves it open", async () => {
    await using given = await startSandbox({ port: 0 });
    vi.stubEnv("PIX_SANDBOX_URL", given.url);
    const tokens: string[] = [];
    for (let count = 0; count < 2; count++) {
      await using suite = new Suite();
      await suite.run("before");
      expect(process.env["PIX_SANDBOX_BASE_URL"]).toBe(given.baseUrl);
      tokens.push(await suite.begin());
      expect(suite.used.sandbox.url).toBe(given.url);
      await suite.used.integration.payins.create();
    }
    for (const token of tokens) expect(token).toMatch(/^test-[0-9a-f]{8}-1$/);
    expect(new Set(tokens).size).toBe(2);
    expect(await given.payins.list()).toHaveLength(2);
  });

  it("tries again after a start that failed", async () => {
    vi.stubEnv("PIX_SANDBOX_URL", "http://127.0.0.1:9");
    await expect(new Suite().run("before")).rejects.toThrow("No sandbox responds at");
    vi.stubEnv("PIX_SANDBOX_URL", undefined);
    await using suite = new Suite();
    await suite.run("before");
    expect(suite.used.sandbox.url).toMatch(/^http:/);
  });

  it.each([undefined, {}, { before: () => undefined, beforeEach: 1 }])(
    "requires the hooks of a suite, not %o",
    (hooks) => {
      expect(() => useSandbox(hooks as unknown as SuiteHooks)).toThrow(
        /^useSandbox\(\) needs the hook "before(?:Each)?" of your suite: useSandbox\(\{ before, beforeEach, after \}\)\.$/,
      );
    },
  );
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

describe("the global setups", () => {
  it.each(["vitest", "jest"])(
    "use the sandbox at PIX_SANDBOX_URL, and leave it open: %s",
    async (framework) => {
      await using given = await startSandbox({ port: 0 });
      vi.stubEnv("PIX_SANDBOX_URL", `${given.url}/v1/`);
      vi.stubEnv("PIX_SANDBOX_TOKEN", "my-shop");
      vi.stubEnv("PIX_SANDBOX_BASE_URL", undefined);
      const found = {
        PIX_SANDBOX_URL: given.url,
        PIX_SANDBOX_BASE_URL: given.baseUrl,
        PIX_SANDBOX_SECRET: given.secret,
        PIX_SANDBOX_TOKEN: "my-shop",
      };
      if (framework === "jest") {
        await jestSetup()();
        expect(process.env).toMatchObject(found);
        await sandboxTeardown();
      } else {
        const config = { root: "", env: { OTHER: "1" } };
        const provide = vi.fn<(name: string, address: object) => void>();
        const tearDown = await sandboxSetup()({ provide, config } as never);
        expect(provide.mock.calls[0]?.[1]).toMatchObject({ url: given.url, secret: given.secret });
        expect(config.env).toEqual({ OTHER: "1", ...found });
        expect(process.env).toMatchObject(found);
        await tearDown();
      }
      expect(process.env["PIX_SANDBOX_BASE_URL"]).toBeUndefined();
      expect(await isRunning(given.url)).toBe(true);
    },
  );
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
