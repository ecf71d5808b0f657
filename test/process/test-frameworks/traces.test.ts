import { afterAll, beforeAll, describe, it } from "vitest";
import { startBrowser, type TestBrowser } from "../../support/browser.ts";
import { checkFailedSuite } from "../../support/failed-suite.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const QUIET = { env: { NO_COLOR: "1" } };

describe("a test that fails", { timeout: 120_000 }, () => {
  it("leaves its trace in vitest", async () => {
    await checkFailedSuite(browser, ["vitest"], (project) =>
      project.run("vitest/vitest.mjs", ["run"], QUIET),
    );
  });

  it("leaves its trace in Playwright", async () => {
    await checkFailedSuite(browser, ["@playwright/test"], (project) =>
      project.run("@playwright/test/cli.js", ["test"], QUIET),
    );
  });
});
