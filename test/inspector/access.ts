import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { findBarriers, startBrowser, type TestBrowser, type TestPage } from "../support/browser.ts";
import type { Merchant } from "../support/merchant.ts";
import { startProxy } from "../support/proxy.ts";
import { fillSandbox, SAMPLE_START, type SampleData, startSampleMerchant } from "./sample-data.ts";
import { PANES } from "../../src/inspector/state/place.ts";

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 740 };
/** The widths at which nothing may scroll horizontally, in addition to those of {@link findProblems}. */
const WIDTHS = [320, 2560];

/** A width and a theme, and the rules to check there. Default: all. */
interface Look {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: "light" | "dark";
  readonly rules?: readonly string[];
}

/** The looks in which a page is checked: each theme, each width and each language in at least one of them. */
export const LOOKS = {
  "en-US": [
    { viewport: WIDE, colorScheme: "light" },
    // The theme changes only colors.
    { viewport: WIDE, colorScheme: "dark", rules: ["color-contrast"] },
    { viewport: PHONE, colorScheme: "light" },
  ],
  "pt-BR": [{ viewport: PHONE, colorScheme: "dark" }],
} as const satisfies Looks;

type Looks = Readonly<Partial<Record<"en-US" | "pt-BR", readonly Look[]>>>;
type Locale = keyof Looks;

let browser: TestBrowser;
let merchant: Merchant;
let sandbox: Sandbox;
/** What is wrong with what the page shows now. */
async function findProblems(page: Page, looks: readonly Look[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { viewport, colorScheme, rules } of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await settle(page);
    for (const barrier of await findBarriers(page, rules))
      problems.push(`${viewport.width} px, ${colorScheme}: ${barrier}`);
    problems.push(...(await findOverflow(page)));
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 720 });
    await settle(page);
    problems.push(...(await findOverflow(page)));
  }
  await page.setViewportSize(WIDE);
  return problems;
}

/** The widest elements of a document that scrolls horizontally; empty if it does not. */
function findOverflow(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const { scrollWidth } = document.documentElement;
    if (scrollWidth <= innerWidth) return [];
    return [...document.body.querySelectorAll("*")]
      .filter((one) => one.getBoundingClientRect().right > innerWidth)
      .slice(-3)
      .map((one) => \`\${innerWidth} px: scrolls to \${scrollWidth} px: \${one.outerHTML.slice(0, 120)}\`);
  })()`);
}

/** Waits until a change is drawn. */
const settle = (page: Page): Promise<void> =>
  page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");

async function show(page: Page, fragment: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  await settle(page);
}

const untilLive = (page: Page): Promise<void> => page.locator(".live-mark.live").waitFor();
const openDetails = (page: Page): Promise<void> =>
  page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");

/** Collects the problems of one page, with the name of its state. */
class Findings {
  readonly all: string[] = [];
  readonly #looks: readonly Look[];

  constructor(looks: readonly Look[] = []) {
    this.#looks = looks;
  }

  async add(state: string, page: Page): Promise<void> {
    for (const problem of await findProblems(page, this.#looks))
      this.all.push(`${state}: ${problem}`);
  }
}

async function openInspector(locale: string, url = sandbox.url): Promise<TestPage> {
  const opened = await browser.open(`${url}/_sandbox/#/activity`, { locale, viewport: WIDE });
  await untilLive(opened.page);
  return opened;
}

/** Describes that nothing of the pages is a barrier, in some looks; if not `isFull`, in their usual states only. */
export function describeAccess(looks: Looks, { isFull }: { readonly isFull: boolean }): void {
  const locales = Object.keys(looks) as Locale[];
  const [first = "en-US"] = locales;

  describe.sequential("access", { timeout: 120_000 }, () => {
    beforeAll(async () => {
      merchant = await startSampleMerchant();
      sandbox = await startSandbox({ seed: "7", clock: "frozen", now: SAMPLE_START });
      browser = await startBrowser();
    }, 60_000);
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]();
      await sandbox?.close();
      await merchant?.[Symbol.asyncDispose]();
    });

    let data: SampleData;

    it.each(isFull ? [first] : [])("has no barriers in empty panes", async (locale) => {
      await using opened = await openInspector(locale);
      const findings = new Findings(looks[locale]);
      for (const pane of PANES) {
        await show(opened.page, `#/${pane}`);
        await findings.add(`empty ${pane}`, opened.page);
      }
      expect(findings.all).toEqual([]);
    });

    it.each(locales)("has no barriers in panes and records, in %s", async (locale) => {
      data ??= await fillSandbox(sandbox, merchant);
      await using opened = await openInspector(locale);
      const { page } = opened;
      const findings = new Findings(looks[locale]);
      for (const pane of PANES) {
        await show(page, `#/${pane}`);
        await page.getByTestId("row").first().waitFor();
        await openDetails(page);
        await findings.add(pane, page);
      }
      for (const fragment of [
        `#/payins/${data.payin}`,
        `#/payins/${data.waitingPayin}`,
        `#/payouts/${data.waitingPayout}`,
        `#/webhooks/${data.resentWebhook}`,
        `#/requests/${data.refusedRequest}`,
      ]) {
        await show(page, fragment);
        await page.locator(".detail-side .facts").waitFor();
        await openDetails(page);
        await findings.add(fragment, page);
      }
      for (const pane of ["payins", "payouts"]) {
        await show(page, `#/${pane}/new`);
        await findings.add(`new ${pane}`, page);
      }
      expect(findings.all).toEqual([]);
    });

    it.each(isFull ? locales : [])("has no barriers in its other states, in %s", async (locale) => {
      await using proxy = await startProxy(sandbox.port);
      await using opened = await openInspector(locale, proxy.url);
      const { page } = opened;
      const findings = new Findings(looks[locale]);

      await show(page, "#/payins?q=nothing");
      await page.locator(".empty").waitFor();
      await findings.add("no match", page);
      await show(page, "#/payins/unknown");
      await page.getByTestId("not-found").waitFor();
      await findings.add("unknown record", page);

      await show(page, "#/snapshots");
      await page.locator("section.add .buttons button").first().click();
      await page.getByTestId("question").waitFor();
      await findings.add("question", page);
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.getByTestId("help").waitFor();
      await findings.add("help", page);
      await page.keyboard.press("Escape");
      await page.getByTestId("snapshot-name").fill("Ä Ö");
      await page.getByTestId("field-error").waitFor();
      await findings.add("wrong name of a snapshot", page);

      await show(page, "#/faults");
      await page.getByTestId("fault-effect").selectOption("latency_ms");
      await page.getByTestId("fault-times").fill("x");
      await page.getByTestId("fault-probability").fill("2");
      await page.getByTestId("match-add").click();
      await page.getByTestId("fault-add").click();
      await expect.poll(() => page.getByTestId("field-error").count()).toBeGreaterThan(2);
      await findings.add("errors of a form", page);
      await show(page, "#/assumptions");
      await page.locator("[data-id='webhook.timeout_seconds'] input").fill("x");
      await page.getByTestId("field-error").waitFor();
      await findings.add("wrong number of an assumption", page);

      await show(page, "#/payins");
      await page.route("**/_sandbox/clock/advance", (route) =>
        route.fulfill({ status: 422, json: { message: "The clock cannot move.", errors: [] } }),
      );
      await page.getByTestId("clock").click();
      await findings.add("clock", page);
      await page.locator(".clock .buttons button").first().click();
      await page.keyboard.press("Escape");
      await page.getByTestId("failure").waitFor();
      await findings.add("failure", page);
      await page.getByTestId("failure").getByRole("button").click();

      await page.getByTestId("more").click();
      await findings.add("menu", page);
      await page.locator(".menu > button").first().click();
      await page.getByTestId("palette-button").click();
      await findings.add("palette", page);
      await page.keyboard.press("Escape");
      await sandbox.payins.create();
      await page.getByTestId("waiting-events").waitFor();
      await findings.add("paused", page);
      await page.locator(".live button").click();

      await page.clock.install();
      await page.route("**/_sandbox/events*", (route) => route.abort());
      proxy.cut();
      await page.locator(".live-mark.reconnecting").waitFor();
      await expect(animationsOf(page, "reduce")).resolves.toBe(0);
      await expect.poll(() => animationsOf(page, "no-preference")).toBe(1);
      await expect
        .poll(async () => {
          await page.clock.fastForward(5000);
          return page.locator(".live-mark.lost").count();
        })
        .toBe(1);
      await findings.add("connection lost", page);
      expect(findings.all).toEqual([]);
    });

    it("can be read at a zoom of 200 %", async () => {
      await using opened = await browser.open(`${sandbox.url}/_sandbox/`, {
        viewport: { width: 640, height: 400 },
        deviceScaleFactor: 2,
      });
      const { page } = opened;
      await untilLive(page);
      const problems: string[] = [];
      for (const pane of PANES) {
        await show(page, `#/${pane}`);
        const row = page.getByTestId("row").first();
        await row.scrollIntoViewIfNeeded();
        if (!(await row.isVisible())) problems.push(`${pane}: its first row is not visible`);
        problems.push(...(await findOverflow(page)));
      }
      expect(problems).toEqual([]);
      expect(opened.problems).toEqual([]);
    });

    it.each(locales)("has no barriers in the payer's page, in %s", async (locale) => {
      const url = (id: string): string => `${sandbox.url}/_sandbox/pay/${id}`;
      await using opened = await browser.open(url("unknown"), { locale });
      const { page } = opened;
      const findings = new Findings(looks[locale]);
      await findings.add("unknown", page);
      for (const name of [
        "waitingPayin",
        "payin",
        "completedPayin",
        "expiredPayin",
        "canceledPayin",
      ] as const) {
        await page.goto(url(data[name]));
        await findings.add(name, page);
      }
      await page.goto(url(data.waitingPayin));
      await page.getByTestId("decline-button").click();
      await page.getByTestId("pay-notice").waitFor();
      await findings.add("declined", page);
      expect(findings.all).toEqual([]);
    });

    it("has no barriers in the payer's page while the clock runs", async () => {
      await using running = await startSandbox({ seed: "7" });
      const { id } = await running.payins.create();
      await using opened = await browser.open(`${running.url}/_sandbox/pay/${id}`, {
        locale: first,
      });
      const findings = new Findings(looks[first]);
      await findings.add("waiting", opened.page);
      expect(findings.all).toEqual([]);
    });
  });
}

/** How many elements of the page move, for a user with this preference. */
async function animationsOf(
  page: Page,
  reducedMotion: "reduce" | "no-preference",
): Promise<number> {
  await page.emulateMedia({ reducedMotion });
  return page.evaluate("document.getAnimations().length");
}
