import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../src/index.ts";
import { startMerchant } from "../../support/merchant.ts";
import { startBrowser, type TestBrowser, type TestPage } from "../../support/browser.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
}, 60_000);
afterAll(() => browser?.[Symbol.asyncDispose]());

type Opened = TestPage & { readonly sandbox: Sandbox };

/** The inspector of a sandbox of its own, when it shows what happens. */
async function openInspector(
  fragment: string,
  {
    sandbox: options,
    browser: browserOptions,
  }: { sandbox?: SandboxOptions; browser?: Parameters<TestBrowser["open"]>[1] } = {},
): Promise<Opened> {
  const sandbox = await startSandbox({ seed: "1", port: 0, ...options });
  const opened = await browser.open(`${sandbox.url}/_sandbox/${fragment}`, browserOptions);
  await untilLive(opened.page);
  return {
    ...opened,
    sandbox,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
}

const untilLive = (page: Page): Promise<void> => page.locator(".live-mark.live").waitFor();
const rowOf = (page: Page, id: string) =>
  page.getByTestId("row").filter({ has: page.locator(`[data-id="${id}"]`) });
const openMenu = (page: Page): Promise<void> => page.getByTestId("more").click();
const openClock = (page: Page): Promise<void> => page.getByTestId("clock").click();
const detailOf = (page: Page) => page.locator("#detail");

/** A merchant that refuses the first webhook. */
const startClosedShop = () =>
  startMerchant({
    answer: (_received, index) =>
      index === 0 ? { status: 500, body: '{"problem":"the shop is closed"}' } : 200,
  });

describe("the inspector", { timeout: 60_000 }, () => {
  it("shows a payin that is created, pays it, shows its webhook and the response, and resends it", async () => {
    await using merchant = await startClosedShop();
    await using opened = await openInspector("#/payins", {
      sandbox: { assumptions: { "webhook.retries": "none" } },
    });
    const { page, sandbox, problems } = opened;
    const shop = sandbox.integration("shop");
    const payin = await shop.payins.create({ value: 10.5, webhookUrl: merchant.url });

    await rowOf(page, payin.id).click();
    await page.getByTestId("detail-id").getByText(payin.id).waitFor();
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    const timeline = page.getByTestId("timeline");
    await timeline.getByText("paid by the payer").waitFor();
    const attempt = timeline.getByRole("listitem").filter({ hasText: "attempt 1" });
    await attempt.getByText("✕ 500").waitFor();
    await timeline.getByText("the shop is closed").waitFor();
    expect((await shop.payins.get(payin.id)).status).toBe("paid");

    await timeline.getByRole("link", { name: "webhook payin.paid" }).click();
    await detailOf(page).getByText("failed").first().waitFor();
    await page.getByRole("button", { name: "Resend", exact: true }).click();
    await detailOf(page).getByText("delivered").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("shows each attempt with its own result and the sandbox's time, and how far the clock is ahead", async () => {
    await using merchant = await startClosedShop();
    await using opened = await openInspector("#/activity", {
      sandbox: { clock: "frozen", now: "2030-01-01T10:00:00Z" },
    });
    const { page, sandbox, problems } = opened;
    const shop = sandbox.integration("shop");
    const payin = await shop.payins.create({ value: 10.5, webhookUrl: merchant.url });
    await shop.payins.pay(payin.id);
    await sandbox.settled();
    await sandbox.clock.advance({ seconds: 90 });
    const lines = [
      { of: "attempt 1", shown: "✕ 500", at: "10:00:00.000" },
      { of: "attempt 2", shown: "● 200", at: "10:00:01.000" },
    ];
    await rowOf(page, payin.id).getByText("webhook accepted at attempt 2").waitFor();
    await openClock(page);
    await page.getByTestId("clock-ahead").getByText("ahead of real time").waitFor();

    await page.goto(`${sandbox.url}/_sandbox/#/payins/${payin.id}`);
    const timeline = page.getByTestId("timeline").getByRole("listitem");
    for (const { of, shown, at } of lines) {
      const time = timeline.filter({ hasText: of }).filter({ hasText: shown }).locator("time");
      expect(await time.textContent()).toBe(at);
      expect(await time.getAttribute("title")).toMatch(/real time: (?!2030)/);
    }
    // As a list derives it after a reload.
    await page.goto(`${sandbox.url}/_sandbox/#/activity`);
    await page.reload();
    await rowOf(page, payin.id).getByText("webhook accepted at attempt 2").waitFor();
    expect(problems).toEqual([]);
  });

  it("expires a payin by the clock", async () => {
    await using opened = await openInspector("#/payins", { sandbox: { clock: "frozen" } });
    const { page, sandbox, problems } = opened;
    const payin = await sandbox.integration("shop").payins.create({ value: 1, expiration: 240 });
    await openClock(page);
    await page.getByTestId("next-due").getByText("in 4 min").waitFor();
    await page.getByRole("button", { name: "To the next" }).click();
    await rowOf(page, payin.id).getByText("expired").waitFor();
    await page.getByTestId("next-due").getByText("Nothing is due").waitFor();

    const other = await sandbox.integration("shop").payins.create({ value: 2, expiration: 60 });
    await page.getByRole("button", { name: "+1 min" }).click();
    await rowOf(page, other.id).getByText("expired").waitFor();
    await page.getByRole("button", { name: "Let time run" }).click();
    await page.getByTestId("clock-mode").getByText("running").waitFor();
    await page.locator(".clock button:focus").getByText("Freeze").waitFor();

    await page.locator(".clock").getByTestId("equivalents").click();
    const commands = page.getByTestId("commands");
    await commands.getByText(`npx pix-sandbox clock advance 1m --url ${sandbox.url}`).waitFor();
    await commands.getByText(`curl -X POST ${sandbox.url}/_sandbox/clock/freeze`).waitFor();
    expect(problems).toEqual([]);
  });

  it("shows a fault that is armed elsewhere, and turns all faults off", async () => {
    await using opened = await openInspector("#/faults");
    const { page, sandbox, problems } = opened;
    await sandbox.faults.add({ on: "payouts.create", effect: "error=EXTERNAL_ERROR" });
    await page.getByTestId("fault-count").getByText("1 simulated fault").waitFor();
    await page.locator(".fault-switch").getByRole("button", { name: "Turn off" }).click();
    await page.getByTestId("question").getByRole("button", { name: "Turn off all faults" }).click();
    await page.getByTestId("fault-count").waitFor({ state: "detached" });
    await page.locator(".top-end button:focus").waitFor();
    expect(await sandbox.faults.list()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("does not call a list empty before it is loaded, and reports a sandbox that does not respond", async () => {
    await using opened = await openInspector("#/payins");
    const { page, sandbox } = opened;
    const { id } = await sandbox.integration("shop").payins.create({ value: 1 });
    let load = (): void => undefined;
    const isTime = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route("**/_sandbox/payins?*", (route) => isTime.then(() => route.continue()));
    await page.reload();
    await page.getByText("Loading…").waitFor();
    expect(await page.getByText("There are no payins yet").count()).toBe(0);
    load();
    await rowOf(page, id).click();
    await page.route("**/_sandbox/payins/*/pay", (route) => route.abort());
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    await page.getByTestId("failure").getByText("The sandbox does not respond.").waitFor();
  });

  it("shows an integration whose name no header can contain as it is", async () => {
    await using opened = await openInspector("#/payins");
    const { page, sandbox, problems } = opened;
    const name = "loja 日本";
    const token = Buffer.from(name).toString("latin1");
    const response = await fetch(`${sandbox.baseUrl}/payins`, {
      method: "POST",
      headers: { ...sandbox.headers(), "x-api-token": token, "content-type": "application/json" },
      body: JSON.stringify({
        value: 1,
        buyer_cpf: "12345678909",
        buyer_name: "Maria",
        buyer_email: "maria@example.com",
        webhook_url: `${sandbox.url}/_sandbox/sink/sample`,
      }),
    });
    const { id } = (await response.json()) as { id: string };
    await rowOf(page, id).waitFor();
    await page.getByTestId("integration").selectOption(name);
    await page.locator(".live-mark.connecting").waitFor({ state: "detached" });
    await untilLive(page);
    await rowOf(page, id).click();
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    await detailOf(page).getByText("paid").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("shows no webhook of a payin that a restored snapshot does not have", async () => {
    await using opened = await openInspector("");
    const { page, sandbox, problems } = opened;
    const shop = sandbox.integration("shop");
    const payin = await shop.payins.create({ value: 1 });
    await sandbox.snapshot("before");
    await shop.payins.pay(payin.id);
    await page.goto(`${sandbox.url}/_sandbox/#/payins/${payin.id}`);
    await page.reload();
    const webhook = page.getByTestId("timeline").getByText("webhook payin.paid");
    await webhook.waitFor();
    await sandbox.restore("before");
    await detailOf(page).getByText("waiting").first().waitFor();
    await webhook.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("returns from a record to the row of the activity that opened it", async () => {
    await using opened = await openInspector("#/activity");
    const { page, sandbox, problems } = opened;
    const shop = sandbox.integration("shop");
    const payin = await shop.payins.create({ value: 1 });
    await shop.payins.create({ value: 2 });
    await rowOf(page, payin.id).getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByTestId("detail-id").getByText(payin.id).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("location.hash")).toBe("#/activity");
    await expect
      .poll(() => page.evaluate("document.activeElement?.getAttribute('data-id')"))
      .toBe(payin.id);
    expect(problems).toEqual([]);
  });

  it("counts the faults of all integrations for a chosen one, and turns its own off", async () => {
    await using opened = await openInspector("#/faults");
    const { page, sandbox } = opened;
    const shop = sandbox.integration("shop");
    await shop.payins.create({ value: 1 });
    await sandbox.faults.add({ on: "payouts.create", effect: "error=EXTERNAL_ERROR" });
    await shop.faults.add({ on: "payins.create", effect: "lost_answer" });
    await page.getByTestId("integration").selectOption("shop");
    await page.getByTestId("fault-count").getByText("2 simulated faults").waitFor();
    await page.locator(".fault-switch").getByRole("button", { name: "Turn off" }).click();
    await page.getByTestId("question").getByRole("button", { name: "Turn off all faults" }).click();
    await page.getByTestId("fault-count").getByText("1 simulated fault").waitFor();
    expect(await sandbox.faults.list()).toHaveLength(1);
    expect(await page.getByRole("button", { name: "Turn off all faults" }).count()).toBe(0);
  });

  it("can be used by the keyboard alone", async () => {
    await using opened = await openInspector("#/payins");
    const { page, sandbox, problems } = opened;
    const shop = sandbox.integration("shop");
    const first = await shop.payins.create({ value: 1, buyerName: "Ana Souza" });
    const second = await shop.payins.create({ value: 2 });
    await rowOf(page, second.id).waitFor();

    const focused = () =>
      page.evaluate("document.activeElement?.getAttribute('data-id')") as Promise<string | null>;
    await page.keyboard.press("j");
    await expect.poll(focused).toBe(second.id);
    await page.keyboard.press("j");
    await expect.poll(focused).toBe(first.id);
    await page.keyboard.press("k");
    await expect.poll(focused).toBe(second.id);
    await page.keyboard.press("j");
    await expect.poll(focused).toBe(first.id);
    await page.keyboard.press("Enter");
    await page.getByTestId("detail-id").getByText(first.id).waitFor();
    await page.keyboard.press("p");
    await detailOf(page).getByText("paid").first().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe(first.id);
    expect(await page.getByTestId("detail-id").count()).toBe(0);

    await page.keyboard.press("k");
    await expect.poll(focused).toBe(second.id);
    await page.getByTestId("clock").focus();
    await page.keyboard.press("p");
    await openMenu(page);
    await page.getByRole("button", { name: "Shortcuts" }).press("Enter");
    await page.getByTestId("help").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByTestId("help").count()).toBe(0);
    expect((await shop.payins.get(second.id)).status).toBe("waiting");

    await page.keyboard.press("/");
    await page.keyboard.type("souza");
    await expect.poll(() => page.getByTestId("row").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByTestId("help").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByTestId("help").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("speaks the browser's language, and remembers another one", async () => {
    await using opened = await openInspector("", { browser: { locale: "pt-BR" } });
    const { page } = opened;
    await page.getByText("Ao vivo").waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("pt-BR");
    expect(await page.title()).toBe("Atividade · pix-sandbox");
    await openMenu(page);
    await page.getByTestId("language").selectOption("en");
    await page.getByText("Live", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
  });

  it("shows times in the browser's zone, and names it", async () => {
    await using opened = await openInspector("#/payins", {
      browser: { timezoneId: "America/Sao_Paulo" },
    });
    const { page, sandbox } = opened;
    await sandbox.integration("shop").payins.create();
    await openClock(page);
    const clock = page.getByTestId("clock-now");
    expect(await clock.textContent()).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC-03:00$/);
    const cell = page.getByTestId("row").first().locator("time").first();
    const [at, shown] = [await cell.getAttribute("datetime"), await cell.textContent()];
    const local = new Date(Date.parse(at ?? "") - 3 * 3_600_000);
    expect(shown).toBe(local.toISOString().slice(11, 19));
  });

  it("shows the sandbox's texts in the chosen language", async () => {
    await using opened = await openInspector("#/assumptions", { browser: { locale: "pt-BR" } });
    const { page, problems } = opened;
    await page.getByText("O padrão de generate_qrcode.").waitFor();
    await openMenu(page);
    await page.getByTestId("language").selectOption("en");
    await page.getByText("The default of generate_qrcode.").waitFor();
    expect(problems).toEqual([]);
  });

  it("names the profile beside each choice that comes from it", async () => {
    const profile = {
      name: "staging",
      assumptions: { "payout.rival": "reject" },
      observed: { "payout.rival": { at: "2026-11-26T12:00:00.000Z", by: "probe" } },
    } as const;
    await using opened = await openInspector("#/assumptions", { sandbox: { profile } });
    const { page, problems } = opened;
    const named = page.getByTestId("profile");
    await named.getByText("From the profile staging, observed on 2026-11-26.").waitFor();
    expect(await named.count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("shows the same after a reload, with Back, and to whoever opens its address", async () => {
    await using opened = await openInspector("#/payins");
    const { page, sandbox, problems } = opened;
    const shop = sandbox.integration("shop");
    const paid = await shop.payins.create({ value: 1, buyerName: "Maria" });
    await shop.payins.create({ value: 2, buyerName: "João" });
    await shop.payins.pay(paid.id);
    await sandbox.clock.freeze();

    await page.getByTestId("status-filter").selectOption("paid");
    await page.getByTestId("search").fill("maria");
    await expect.poll(() => page.getByTestId("row").count()).toBe(1);
    await rowOf(page, paid.id).click();
    await page.getByTestId("detail-id").waitFor();
    await page.reload();
    await page.getByTestId("detail-id").getByText(paid.id).waitFor();
    expect(await page.getByTestId("search").inputValue()).toBe("maria");
    await expect.poll(() => page.getByTestId("row").count()).toBe(1);

    await using other = await browser.open(page.url());
    await other.page.getByTestId("detail-id").getByText(paid.id).waitFor();
    expect(await other.page.getByTestId("status-filter").inputValue()).toBe("paid");

    await page.goBack();
    await expect.poll(() => page.getByTestId("detail-id").count()).toBe(0);
    expect(await page.getByTestId("search").inputValue()).toBe("maria");
    await page.goto(`${sandbox.url}/_sandbox/#/activity`);
    for (const text of ["Maria", "paid", "frozen"])
      await page.getByTestId("row").getByText(text).first().waitFor();
    expect(problems).toEqual([]);
  });

  it("opens a shared link with the control token as the browser's password", async () => {
    await using sandbox = await startSandbox({ port: 0, controlToken: "open:sesame" });
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/payins?status=waiting`, {
      httpCredentials: { username: "any", password: "open:sesame" },
    });
    const { page } = opened;
    await untilLive(page);
    expect(page.url()).toBe(`${sandbox.url}/_sandbox/#/payins?status=waiting`);
    const payin = await sandbox.integration("shop").payins.create({ value: 1 });
    await page.goto(`${sandbox.url}/_sandbox/#/payins/${payin.id}`);
    await detailOf(page).getByTestId("equivalents").click();
    await detailOf(page).getByText("Bearer $PIX_SANDBOX_CONTROL_TOKEN").first().waitFor();
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    await detailOf(page).getByText("paid").first().waitFor();
    await using other = await browser.open(`${sandbox.url}/_sandbox/`, {
      httpCredentials: { username: "any", password: "wrong" },
    });
    await other.page.getByText("The control token in the header authorization is wrong.").waitFor();
  });
});
