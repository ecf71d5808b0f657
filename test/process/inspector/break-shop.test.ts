import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/index.ts";
import { findBarriers, startBrowser, type TestBrowser } from "../../support/browser.ts";
import { callsTo } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
}, 60_000);
afterAll(() => browser?.[Symbol.asyncDispose]());

describe("Break my shop", { timeout: 60_000 }, () => {
  it("finds what a bad handler does, with what to change, as Markdown too", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox({ port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/review`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page, problems } = opened;
    await page.getByTestId("break-url").fill(merchant.url);
    await page.getByTestId("break-button").click();
    const row = page.locator("[data-testid=row][data-id=signature_not_checked]");
    await row.getByText("Anyone can forge a payment.").first().waitFor();
    await row.getByText("Compute the signature and compare it").first().waitFor();
    await row.locator("code", { hasText: "curl" }).first().waitFor();
    expect(await findBarriers(page)).toEqual([]);

    // A shop's own calls meet the lost response, and the reviewer judges them.
    await page.getByTestId("armed").waitFor();
    const shop = callsTo(sandbox.url);
    await shop.createPayin({ webhook_url: merchant.url }, "order-1").catch(() => undefined);
    await shop.createPayin({ webhook_url: merchant.url }, "order-1");
    await page.getByTestId("passed").locator("summary").click();
    await page.getByTestId("passed").getByText("unknown_outcome_not_retried").waitFor();

    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    const text = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(text).toContain("## Break my shop: ");
    expect(text).toContain("`signature_not_checked`");
    expect(text).toContain("- What to change: Compute the signature");
    expect(problems).toEqual([]);
  });

  it("passes a good handler, in Portuguese", async () => {
    let secret = "";
    await using merchant = await startMerchant({
      answer: ({ body, headers }) => {
        try {
          new Webhook(secret).verify(body, headers);
          return 200;
        } catch {
          return 401;
        }
      },
    });
    await using sandbox = await startSandbox({ port: 0 });
    secret = sandbox.secret;
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/review`, {
      locale: "pt-BR",
    });
    const { page, problems } = opened;
    await page.getByTestId("break-url").fill(merchant.url);
    await page.getByRole("button", { name: "Quebrar minha loja", exact: true }).click();
    await page.getByTestId("armed").waitFor();
    const passed = page.getByTestId("passed");
    await passed.locator("summary").click();
    for (const rule of ["bad_signature_accepted", "old_timestamp_accepted", "duplicate_refused"])
      await passed.getByText(rule).waitFor();
    expect(await page.getByTestId("row").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("judges by the shop's open orders what it does, without a text of its address", async () => {
    const paid: string[] = [];
    await using merchant = await startMerchant({
      answer: ({ path, body }) => {
        const id = /^\/orders\/(.+)$/.exec(path)?.[1];
        if (id !== undefined)
          return { status: 200, body: `sold ${paid.filter((one) => one === id).length}` };
        const { type, data } = JSON.parse(body) as { type: string; data: { id: string } };
        if (type === "payin.paid") paid.push(data.id);
        return 200;
      },
    });
    await using sandbox = await startSandbox({ port: 0 });
    const shop = callsTo(sandbox.url);
    for (let count = 0; count < 8; count++)
      await shop.createPayin({ webhook_url: merchant.url }, `order-${count}`);
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/review`);
    const { page, problems } = opened;
    await page.getByTestId("break-url").fill(merchant.url);
    await page.getByTestId("break-effect").fill(merchant.at("/orders/{id}"));
    await page.getByTestId("break-button").click();
    const row = page.locator("[data-testid=row][data-id=duplicate_acts_twice]");
    await row.getByText("The effect changed.").first().waitFor();
    expect(await page.getByText("sold 2").count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);

    await page.getByTestId("break-effect").fill("http://192.0.2.1/orders/{id}");
    await page.getByTestId("break-button").click();
    await page.getByTestId("break-refusal").getByText("--check-webhook-host 192.0.2.1").waitFor();
    expect(problems.filter((text) => !text.includes("400"))).toEqual([]);
  });

  it("says why an address is refused", async () => {
    await using sandbox = await startSandbox({ port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/review`);
    const { page } = opened;
    await page.getByTestId("break-url").fill("http://192.0.2.1/pix");
    await page.getByTestId("break-button").click();
    await page.getByTestId("break-refusal").getByText("--check-webhook-host 192.0.2.1").waitFor();
  });
});
