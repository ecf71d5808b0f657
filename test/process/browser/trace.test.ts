import { pathToFileURL } from "node:url";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";
import {
  findBarriers,
  startBrowser,
  type TestBrowser,
  type TestPage,
} from "../../support/browser.ts";
import { createFolder } from "../../support/folder.ts";
import { requests } from "../../support/fixtures.ts";
import { call, control, type Json } from "../../support/gateway.ts";
import { startMerchant } from "../../support/merchant.ts";

const HOSTILE = `</script><img src=x onerror="document.title='owned'"><!--`;

let browser: TestBrowser;
let folder: Awaited<ReturnType<typeof createFolder>>;
let file: string;
let ids: { readonly paid: string; readonly waiting: string };
beforeAll(async () => {
  browser = await startBrowser();
  folder = await createFolder();
  file = folder.at("trace.html");
  const sandbox = await startSandbox({ trace: file, assumptions: { "webhook.retries": "none" } });
  ids = await runShop(sandbox);
  await sandbox.close();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A shop whose handler fails: one payin is paid, and its webhook refused; another one waits. */
async function runShop(sandbox: Sandbox): Promise<typeof ids> {
  await using merchant = await startMerchant({ answer: () => ({ status: 500, body: HOSTILE }) });
  const create = async (description: string): Promise<string> => {
    const body = { ...requests.get("payin"), description, webhook_url: merchant.url };
    const { json } = await call(sandbox, { path: "/v1/payins", token: "tests", body });
    return String((json as Json)["id"]);
  };
  const paid = await create(HOSTILE);
  await control(sandbox, "tests", `POST /payins/${paid}/pay`);
  await control(sandbox, "tests", "POST /settle");
  return { paid, waiting: await create("waits") };
}

async function openTrace(hash = "", options: BrowserContextOptions = {}): Promise<TestPage> {
  const address = `${pathToFileURL(file).href}${hash}`;
  const opened = await browser.open(address, { offline: true, ...options });
  await opened.page.locator('html[data-ready="true"]').waitFor();
  return opened;
}

describe("a trace", { timeout: 120_000 }, () => {
  it("opens from the disk, and shows the end", async () => {
    await using opened = await openTrace();
    const { page, problems } = opened;
    // It is drawn once it says so.
    expect(await page.locator("[data-testid=row]").count()).toBeGreaterThan(1);
    await page.getByTestId("overview").getByText("A trace").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.evaluate(`location.hash = "#/payins/${ids.paid}"`);
    const timeline = page.getByTestId("timeline");
    await timeline.getByText("POST /v1/payins").waitFor();
    await timeline.locator("li", { hasText: "attempt 1" }).getByText("500").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    expect(problems).toEqual([]);
  });

  it("cannot be changed", async () => {
    await using opened = await openTrace(`#/payins/${ids.waiting}`);
    const { page, problems } = opened;
    await page.getByRole("button", { name: /^Pay/ }).first().click();
    await page.getByText("A trace cannot be changed.").waitFor();
    await page.locator(".detail-head").getByText("waiting").waitFor();
    expect(problems).toEqual([]);
  });

  it("speaks Portuguese", async () => {
    await using opened = await openTrace("#/review", { locale: "pt-BR" });
    const { page, problems } = opened;
    await page.getByText("não verificadas").first().waitFor();
    await page.evaluate("location.hash = '#/'");
    await page.getByText("Nada aqui pode ser alterado.").waitFor();
    expect(problems).toEqual([]);
  });
});
