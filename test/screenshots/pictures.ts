import { mkdir, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import {
  fillSandbox,
  SAMPLE_START,
  type SampleData,
  startSampleMerchant,
} from "../inspector/sample-data.ts";
import { startBrowser, type TestBrowser } from "../support/browser.ts";
import type { Merchant } from "../support/merchant.ts";
import { showSteadily } from "./steady.ts";

let browser: TestBrowser;
let merchant: Merchant;
let sandbox: Sandbox;
let data: SampleData;
beforeAll(async () => {
  merchant = await startSampleMerchant();
  sandbox = await startSandbox({ seed: "7", clock: "frozen", now: SAMPLE_START });
  data = await fillSandbox(sandbox, merchant);
  // The addresses in the pictures are not those of the servers.
  browser = await startBrowser([
    "--disable-features=LocalNetworkAccessChecks",
    "--disable-partial-raster",
  ]);
}, 60_000);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await sandbox?.close();
  await merchant?.[Symbol.asyncDispose]();
});

interface Look {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: "light" | "dark";
  readonly locale: "en-US" | "pt-BR";
  readonly deviceScaleFactor?: number;
}

/** Opens a page that looks the same in every run. */
async function open(address: string, look: Look) {
  const opened = await browser.open("about:blank", { ...look, reducedMotion: "reduce" });
  const origin = await showSteadily(opened.page, sandbox, merchant);
  await opened.page.goto(`${origin}${address}`);
  return opened;
}

async function settle(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  await page.waitForTimeout(100);
}

describe("pictures of the README", { timeout: 120_000 }, () => {
  it("inspector", async () => {
    await using opened = await open(`/_sandbox/#/payins/${data.payin}`, {
      viewport: { width: 1280, height: 820 },
      colorScheme: "light",
      locale: "en-US",
    });
    await opened.page.locator(".live-mark.live").waitFor();
    await opened.page.getByTestId("timeline").waitFor();
    await settle(opened.page);
    await write("inspector", await opened.page.screenshot());
  });

  it("payer's page", async () => {
    await using opened = await open(`/_sandbox/pay/${data.waitingPayin}`, {
      viewport: { width: 390, height: 764 },
      colorScheme: "light",
      locale: "pt-BR",
      deviceScaleFactor: 2,
    });
    await settle(opened.page);
    await write("payer", await opened.page.screenshot());
  });
});

async function write(name: string, picture: Buffer): Promise<void> {
  await mkdir("docs/images", { recursive: true });
  await writeFile(`docs/images/${name}.png`, picture);
}
