import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { PANES } from "../../src/inspector/state/place.ts";
import {
  fillSandbox,
  SAMPLE_START,
  type SampleData,
  startSampleMerchant,
} from "../inspector/sample-data.ts";
import { startBrowser, type TestBrowser } from "../support/browser.ts";
import type { Merchant } from "../support/merchant.ts";
import { showSteadily } from "./steady.ts";

/** The pictures of this run: those of the README, or all states of all pages. */
const { SCREENSHOTS_FOLDER: folder = "screenshots", SCREENSHOTS_README: readme } = process.env;

const SIZES = {
  wide: { width: 1440, height: 900 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 360, height: 740 },
};
/** Every size in every theme and language. */
const LOOKS = Object.entries(SIZES).flatMap(([size, viewport]) =>
  (["light", "dark"] as const).flatMap((colorScheme) =>
    (["en-US", "pt-BR"] as const).map((locale) => ({
      name: `${size}-${colorScheme}${locale === "pt-BR" ? "-pt" : ""}`,
      viewport,
      colorScheme,
      locale,
    })),
  ),
);

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
async function open(of: Sandbox, address: string, look: Look) {
  const opened = await browser.open("about:blank", { ...look, reducedMotion: "reduce" });
  const origin = await showSteadily(opened.page, of, merchant);
  await opened.page.goto(`${origin}${address}`);
  return opened;
}

async function settle(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  await page.waitForTimeout(100);
}

async function take(page: Page, name: string, fullPage = false): Promise<void> {
  await settle(page);
  const file = path.resolve(folder, `${name}.png`);
  await mkdir(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file, animations: "disabled", fullPage });
}

async function show(page: Page, fragment: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  await settle(page);
}

const untilLive = (page: Page): Promise<void> => page.locator(".live-mark.live").waitFor();

describe.runIf(readme === undefined)("pictures of every state", { timeout: 300_000 }, () => {
  it.each(LOOKS)("$name", async ({ name, ...look }) => {
    const opened = await open(sandbox, "/_sandbox/#/activity", look);
    const { page } = opened;
    await untilLive(page);
    for (const pane of PANES) {
      await show(page, `#/${pane}`);
      await page.getByTestId("row").first().waitFor();
      await take(page, `${name}/${pane}`);
    }
    for (const [title, fragment] of [
      ["payin", `#/payins/${data.payin}`],
      ["payin-waiting", `#/payins/${data.waitingPayin}`],
      ["payout", `#/payouts/${data.waitingPayout}`],
      ["webhook", `#/webhooks/${data.resentWebhook}`],
      ["request", `#/requests/${data.refusedRequest}`],
    ] as const) {
      await show(page, fragment);
      await page.locator(".detail-side .facts").waitFor();
      await take(page, `${name}/open-${title}`);
    }
    for (const pane of ["payins", "payouts"]) {
      await show(page, `#/${pane}/new`);
      await take(page, `${name}/new-${pane}`);
    }
    await show(page, `#/payins/${data.waitingPayin}`);
    for (const panel of ["clock", "more", "more-actions", "equivalents"]) {
      await page.getByTestId(panel).first().click();
      await take(page, `${name}/panel-${panel}`);
      await page.keyboard.press("Escape");
    }
    await page.getByTestId("palette-button").click();
    await page.keyboard.type("ana");
    await take(page, `${name}/palette`);
    await page.keyboard.press("Escape");
    await show(page, "#/payins?q=nothing");
    await take(page, `${name}/no-match`);
    await show(page, "#/snapshots");
    await page.locator("section.add .buttons button").first().click();
    await take(page, `${name}/question`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await take(page, `${name}/help`);
    await page.keyboard.press("Escape");
    await show(page, "#/faults");
    await page.getByTestId("fault-effect").selectOption("latency_ms");
    await page.getByTestId("match-add").click();
    await page.getByTestId("fault-times").fill("x");
    await page.getByTestId("fault-add").click();
    await take(page, `${name}/form-errors`);

    for (const id of [
      "waitingPayin",
      "payin",
      "completedPayin",
      "expiredPayin",
      "canceledPayin",
    ] as const) {
      await page.goto(`${new URL(page.url()).origin}/_sandbox/pay/${data[id]}`);
      await take(page, `${name}/payer-${id}`, true);
    }
    await page.goto(
      `${new URL(page.url()).origin}/_sandbox/pay/${data.waitingPayin}?notice=declined`,
    );
    await take(page, `${name}/payer-declined`, true);
    await page.goto(`${new URL(page.url()).origin}/_sandbox/pay/unknown`);
    await take(page, `${name}/payer-unknown`);
    await opened[Symbol.asyncDispose]();

    await using empty = await startSandbox({ seed: "7", clock: "frozen", now: SAMPLE_START });
    await using emptyPage = await open(empty, "/_sandbox/#/activity", look);
    await untilLive(emptyPage.page);
    for (const pane of PANES.filter((one) => one !== "assumptions")) {
      await show(emptyPage.page, `#/${pane}`);
      await take(emptyPage.page, `${name}/empty-${pane}`);
    }
    await using closed = await startSandbox({ controlToken: "correct-horse" });
    await using signIn = await open(closed, "/_sandbox/sign-in", look);
    await take(signIn.page, `${name}/sign-in`);
    await signIn.page.getByTestId("sign-in-token").fill("wrong");
    await signIn.page.getByTestId("sign-in-submit").click();
    await take(signIn.page, `${name}/sign-in-wrong`);
  });
});

describe.runIf(readme !== undefined)("pictures of the README", { timeout: 120_000 }, () => {
  it("inspector", async () => {
    await using opened = await open(sandbox, `/_sandbox/#/payins/${data.payin}`, {
      viewport: { width: 1280, height: 820 },
      colorScheme: "light",
      locale: "en-US",
    });
    await untilLive(opened.page);
    await opened.page.getByTestId("timeline").waitFor();
    await settle(opened.page);
    await write("inspector", await opened.page.screenshot());
  });

  it("payer's page", async () => {
    await using opened = await open(sandbox, `/_sandbox/pay/${data.waitingPayin}`, {
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
