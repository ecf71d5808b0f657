import { afterEach, describe, expect, it, vi } from "vitest";
import { sandboxSetup, sandboxTeardown } from "../../../src/test-frameworks/jest-setup.ts";

describe("the set-ups of several jest projects", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it("leave no sandbox, and the environment as they found it", async () => {
    vi.stubEnv("PIX_SANDBOX_URL", "http://127.0.0.1:1");
    vi.stubEnv("PIX_SANDBOX_SECRET", undefined);
    const urls: string[] = [];
    for (const seed of ["one", "other"]) {
      await sandboxSetup({ seed })();
      urls.push(process.env["PIX_SANDBOX_URL"] ?? "");
    }
    const answers = await Promise.all(urls.map((url) => fetch(`${url}/_sandbox/health`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);

    await sandboxTeardown();
    for (const url of urls) await expect(fetch(url)).rejects.toThrow(TypeError);
    expect(process.env["PIX_SANDBOX_URL"]).toBe("http://127.0.0.1:1");
    expect(process.env).not.toHaveProperty("PIX_SANDBOX_SECRET");
  });
});
