import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { findBarriers, startBrowser, type TestBrowser, type TestPage } from "../support/browser.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
}, 60_000);
afterAll(() => browser?.[Symbol.asyncDispose]());

/** The inspector of a sandbox of its own. */
async function openInspector(
  fragment = "",
  options?: Parameters<TestBrowser["open"]>[1],
): Promise<TestPage & { readonly sandbox: Sandbox }> {
  const sandbox = await startSandbox({ seed: "1", port: 0 });
  const opened = await browser.open(`${sandbox.url}/_sandbox/${fragment}`, options);
  await opened.page
    .getByText("Live", { exact: true })
    .or(opened.page.getByText("Ao vivo"))
    .waitFor();
  return {
    ...opened,
    sandbox,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
}

describe("the inspector", () => {
  it("shows a payin that is created, pays it, shows its webhook with the response, and resends it", async () => {
    await using opened = await openInspector("#/payins");
    const { page, sandbox, problems } = opened;
    const shop = sandbox.integration("shop");
    const hook = await shop.receiver();
    hook.respond(500);
    const payin = await shop.payins.create({ value: 10.5, webhookUrl: hook.url });

    await page
      .getByTestId("row")
      .filter({ hasText: payin.id.slice(0, 8) })
      .click();
    await page.getByTestId("detail-id").getByText(payin.id).waitFor();
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    const timeline = page.getByTestId("timeline");
    await timeline.getByText("payin is paid").waitFor();
    await timeline.getByText("attempt 1: 500").waitFor();

    hook.respond(200);
    await timeline.getByRole("link", { name: "webhook payin.paid" }).click();
    await page.getByRole("button", { name: "Resend", exact: true }).click();
    await page.getByTestId("detail-id").waitFor();
    await page.locator("#detail").getByText("delivered").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("has no barrier on any pane", async () => {
    await using opened = await openInspector();
    for (const pane of ["activity", "payins", "payouts"]) {
      await opened.page.goto(`${opened.sandbox.url}/_sandbox/#/${pane}`);
      expect(await findBarriers(opened.page), pane).toEqual([]);
    }
  });
});
