import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/index.ts";
import { startBrowser, type TestBrowser } from "../../support/browser.ts";
import { callsTo } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
}, 60_000);
afterAll(() => browser?.[Symbol.asyncDispose]());

describe("the review pane", { timeout: 60_000 }, () => {
  it("shows a mistake when it is made, links to its request, and starts over", async () => {
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/review`);
    const { page, problems } = opened;
    await page.getByText("There is nothing to judge yet").waitFor();
    expect(await page.getByTestId("failures").count()).toBe(0);

    const shop = callsTo(sandbox.url);
    const webhook_url = `${sandbox.url}/_sandbox/sink/sample`;
    await shop.createPayin({ webhook_url }, "order-1");
    const refused = await shop.createPayin({ webhook_url, value: 99 }, "order-1");
    expect(refused.status).toBe(409);

    const row = page.locator("[data-testid=row][data-id=key_reused_with_other_body]");
    await row.getByText("It uses one idempotency key for different requests.").waitFor();
    await row.getByText("The second request is refused: a lost sale.").waitFor();
    await row.getByText(`npx pix-sandbox requests --url ${sandbox.url}`).waitFor();
    await page.getByTestId("failures").getByText("1").waitFor();
    const unseen = page.getByTestId("not-seen");
    await unseen.locator("summary").click();
    await unseen.getByText("webhook_answer_slow").waitFor();

    // By the keyboard: to the evidence, to its request, and back.
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByTestId("detail-id").getByText("req_2").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("location.hash")).toBe("#/review");
    await expect
      .poll(() => page.evaluate("document.activeElement?.textContent"))
      .toBe("Request req_2");

    await page.getByRole("button", { name: "Start over" }).click();
    const question = page.getByTestId("question");
    await question.getByText("(1 failure, 0 warnings)").waitFor();
    await question.getByRole("button", { name: "Start over" }).click();
    await page.getByText("There is nothing to judge yet").waitFor();
    await page.getByTestId("failures").waitFor({ state: "detached" });
    const { rules } = await shop.control<{ rules: { verdict: string }[] }>("GET", "/report");
    expect(rules.every(({ verdict }) => verdict === "not_seen")).toBe(true);
    expect(problems.filter((problem) => !problem.includes("409"))).toEqual([]);
  });

  it("shows causes with what they imply, links to the webhook and the payin, and follows the language", async () => {
    await using merchant = await startMerchant({
      answer: (_webhook, index) =>
        index > 0 ? 410 : { status: 302, headers: { location: "/elsewhere" }, body: "" },
    });
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/review`, {
      locale: "pt-BR",
    });
    const { page, problems } = opened;
    await page.getByText("Ainda não há nada para avaliar").waitFor();
    const shop = callsTo(sandbox.url);
    const { body: payin } = await shop.createPayin({ webhook_url: merchant.at("/hook") });
    await sandbox.payins.pay(payin.id);
    await sandbox.settled();
    await sandbox.clock.advance({ hours: 1 });

    const cause = page.locator("[data-testid=row][data-id=webhook_answer_redirects]");
    await cause.getByText("Responde a um webhook com um redirecionamento.").waitFor();
    const implied = cause.getByTestId("implied");
    await implied.getByText("webhook_never_received").waitFor();
    expect(await page.getByTestId("row").count()).toBe(1);
    await page.getByTestId("failures").getByText("2").waitFor();
    await page.getByTestId("more").click();
    await page.getByTestId("language").selectOption("en");
    await cause.getByText("It responds to a webhook with a redirect.").waitFor();

    await cause.getByRole("link", { name: "Webhook" }).first().click();
    await page.locator("#detail").getByText("302").first().waitFor();
    await page.goBack();
    await cause.getByRole("link", { name: "Payin" }).first().click();
    await page.getByTestId("detail-id").getByText(payin.id).waitFor();
    await page.goBack();

    // The page shows only what the chosen integration has done.
    await callsTo(sandbox.url, "other").createPayin({ webhook_url: merchant.at("/hook") });
    await page.getByTestId("integration").selectOption("other");
    await cause.waitFor({ state: "detached" });
    await page.getByTestId("failures").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("is loaded at most once a second, and only after events", async () => {
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/payins`);
    const { page } = opened;
    await page.locator(".live-mark.live").waitFor();
    let loads = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/_sandbox/report")) loads++;
    });
    const shop = callsTo(sandbox.url);
    const webhook_url = `${sandbox.url}/_sandbox/sink/sample`;
    const startMs = performance.now();
    for (let value = 1; value <= 50; value++) await shop.createPayin({ webhook_url, value }, "1");
    await page.getByTestId("failures").waitFor();
    expect(loads).toBeGreaterThan(0);
    expect(loads).toBeLessThanOrEqual(1 + (performance.now() - startMs) / 1000);
  });

  it("copies the questions for the provider as plain text", async () => {
    await using sandbox = await startSandbox({ seed: "1", port: 0 });
    const shop = callsTo(sandbox.url);
    await shop.createPayin({ webhook_url: `${sandbox.url}/_sandbox/sink/sample` });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/review`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page, problems } = opened;
    const questions = page.getByTestId("questions");
    await questions.getByRole("button", { name: "Copy the questions" }).click();
    await questions.getByRole("button", { name: "Copied" }).waitFor();
    const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
    expect(copied).toMatch(/^Questions about your Pix API:\n\n1\. .+\?\n {3}We assume: .+ \(.+\)/);
    expect(problems).toEqual([]);
  });
});
