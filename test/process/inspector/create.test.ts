import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/index.ts";
import { startBrowser, type TestBrowser } from "../../support/browser.ts";
import { startMerchant } from "../../support/merchant.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
}, 60_000);
afterAll(() => browser?.[Symbol.asyncDispose]());

const untilLive = (page: Page): Promise<void> => page.locator(".live-mark.live").waitFor();
const statusOf = (page: Page, status: string): Promise<void> =>
  page.locator(".detail-head").getByText(status).waitFor();

describe("with the page alone", { timeout: 60_000 }, () => {
  it("a payin is created, refused first with the gateway's words, and paid past its clock", async () => {
    await using sandbox = await startSandbox({ seed: "1", port: 0, clock: "frozen" });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/payins`);
    const { page, problems } = opened;
    await untilLive(page);
    await page.getByTestId("new").first().click();
    await page.getByTestId("new-value").fill("many");
    await page.getByTestId("create").click();
    await page.getByTestId("new-refusal").getByText("value").waitFor();
    await page.getByTestId("new-value").fill("25.90");
    await page.getByTestId("create").click();
    await statusOf(page, "waiting");
    const drawn = () =>
      page.getByTestId("qr").evaluate((image: { naturalWidth?: number }) => image.naturalWidth);
    await expect.poll(drawn).toBeGreaterThan(0);
    const [payin] = await sandbox.payins.list();
    expect(payin).toMatchObject({ value: 25.9, status: "waiting", integration: "sandbox" });

    // The slider's first mark is the expiry.
    await page.getByTestId("clock").click();
    await page.getByTestId("time-slider").focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText("1 thing happens on the way.").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await statusOf(page, "expired");
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
  });

  it("a sample payment and a payout are made, and found by name", async () => {
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/`);
    const { page, problems } = opened;
    await untilLive(page);
    await page.getByTestId("sample").first().click();
    await statusOf(page, "paid");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("new payout");
    await page.keyboard.press("Enter");
    await page.getByTestId("create").click();
    await statusOf(page, "waiting");
    await page.getByRole("button", { name: "Complete", exact: true }).click();
    await statusOf(page, "completed");
    await page.getByTestId("palette-button").click();
    await page.keyboard.type("maria");
    const found = page.getByTestId("palette").getByRole("option");
    await expect.poll(() => found.count()).toBeGreaterThanOrEqual(2);
    await page.keyboard.press("Enter");
    await statusOf(page, "paid");
    expect(page.url()).toContain("#/payins/");
    expect(problems).toEqual([]);
  });

  it("the reason of a 401 is found, with the line that mends it", async () => {
    await using merchant = await startMerchant({ answer: () => 401 });
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    const shop = sandbox.integration("shop");
    const payin = await shop.payins.create({ webhookUrl: merchant.url });
    await shop.payins.pay(payin.id);
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/payins/${payin.id}`);
    const help = opened.page.getByTestId("attempt-help").first();
    await help.getByText("but its signature is valid").waitFor();
    await help.getByText(`PIX_WEBHOOK_SECRET=${sandbox.secret}`).waitFor();
    const [webhook] = await shop.webhooks.list();
    await opened.page.goto(`${sandbox.url}/_sandbox/#/webhooks/${webhook?.id}`);
    await expect
      .poll(() => opened.page.getByTestId("signature").first().textContent())
      .toBe("● signed");
    expect(opened.problems).toEqual([]);
  });

  it.each([
    ["en-US", 1440, "The webhook arrives twice"],
    ["pt-BR", 360, "O webhook chega duas vezes"],
  ])("a fault takes two clicks from any pane (%s, %i px)", async (locale, width, name) => {
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/payins`, {
      locale,
      viewport: { width, height: 740 },
    });
    const { page, problems } = opened;
    await untilLive(page);
    await page.getByTestId("fault-menu").click();
    await page.getByRole("button", { name }).click();
    await page.getByTestId("fault-count").waitFor();
    expect(await sandbox.faults.list()).toMatchObject([
      { on: "webhook", effect: "duplicate", times: 1 },
    ]);
    expect(await page.locator(":popover-open").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("a fault is added by its name", async () => {
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/faults`);
    const { page, problems } = opened;
    await untilLive(page);
    await page.getByRole("button", { name: "The next payout times out" }).click();
    await page.getByTestId("row").getByText("Lose the response").waitFor();
    expect(await sandbox.faults.list()).toMatchObject([
      { on: "payouts.create", effect: "lost_answer", times: 1 },
    ]);
    expect(problems).toEqual([]);
  });

  it("a question that deletes has the focus on Cancel", async () => {
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/snapshots`);
    const { page } = opened;
    await untilLive(page);
    await page.locator("section.add .buttons button").first().click();
    await page.getByTestId("question").locator("button:focus").getByText("Cancel").waitFor();
  });
});
