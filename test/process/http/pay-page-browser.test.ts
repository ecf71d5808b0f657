import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { startBrowser, type TestBrowser } from "../../support/browser.ts";

let browser: TestBrowser;
let sandbox: Sandbox;
beforeAll(async () => {
  browser = await startBrowser();
  sandbox = await startSandbox();
}, 60_000);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await sandbox?.close();
});

const pageOf = (id: string): string => `${sandbox.url}/_sandbox/pay/${id}`;

describe("the payer's page in a browser", { timeout: 60_000 }, () => {
  it.each([true, false])("pays after a decline; with JavaScript: %s", async (javaScriptEnabled) => {
    const { id } = await sandbox.payins.create();
    await using opened = await browser.open(pageOf(id), { javaScriptEnabled });
    const { page, problems } = opened;
    await page.getByTestId("decline-button").click();
    await page.getByTestId("pay-notice").waitFor();
    expect((await sandbox.payins.get(id)).status).toBe("waiting");

    await page.getByTestId("pay-button").click();
    await page.getByText("Paid", { exact: true }).waitFor();
    expect(page.url()).toBe(pageOf(id));
    expect((await sandbox.payins.get(id)).status).toBe("paid");
    await page.reload();
    expect(await page.getByTestId("pay-status").getAttribute("data-status")).toBe("paid");
    expect(problems).toEqual([]);
  });

  it("copies the code", async () => {
    const { id, qrCode } = await sandbox.payins.create();
    await using opened = await browser.open(pageOf(id));
    const { page, problems } = opened;
    await page.getByTestId("pay-copy").click();
    await page.getByTestId("pay-copy").getByText("Copied").waitFor();
    const code = page.getByTestId("pay-code");
    await code.evaluate((area: { readOnly: boolean }) => (area.readOnly = false));
    await code.fill("");
    await page.keyboard.press("Control+v");
    expect(await code.inputValue()).toBe(qrCode);
    expect(problems).toEqual([]);
  });

  it("expires a charge without JavaScript", async () => {
    const { id } = await sandbox.payins.create();
    await using opened = await browser.open(pageOf(id), { javaScriptEnabled: false });
    await opened.page.getByTestId("expire-button").click();
    await opened.page.getByText("Expired", { exact: true }).waitFor();
    expect((await sandbox.payins.get(id)).status).toBe("expired");
  });

  it("counts down by the sandbox's clock, and shows the expiry by itself", async () => {
    await using own = await startSandbox();
    const { id } = await own.payins.create({ expiration: 60 });
    await own.clock.advance({ seconds: 56 });
    await using opened = await browser.open(`${own.url}/_sandbox/pay/${id}`);
    const { page, problems } = opened;
    const countdown = page.getByTestId("pay-countdown");
    expect(await countdown.textContent()).toMatch(/^0:0[1-4]$/);
    await page.getByText("Expired", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });
});
