import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { PANES } from "../../../src/inspector/state/place.ts";
import { catalogues } from "../../../src/text/languages.ts";
import portuguese from "../../../src/text/pt-BR/index.ts";
import { startBrowser, type TestBrowser } from "../../support/browser.ts";
import type { Merchant } from "../../support/merchant.ts";
import { englishIn, pseudoCatalogue } from "../../support/words.ts";
import { fillSandbox, SAMPLE_START, startSampleMerchant } from "../../inspector/sample-data.ts";

const { buildPage } = (await import(new URL("../../../build/page.js", import.meta.url).href)) as {
  buildPage(options: {
    write: boolean;
    translate?: (language: string, key: string) => string | undefined;
  }): Promise<{ output: readonly [{ code: string }] }>;
};

describe("every pane in a language whose catalogue is complete", { timeout: 120_000 }, () => {
  let browser: TestBrowser;
  let merchant: Merchant;
  let sandbox: Sandbox;
  let script: string;
  beforeAll(async () => {
    const catalogue = pseudoCatalogue();
    catalogues.pt = catalogue;
    const page = await buildPage({ write: false, translate: (_, key) => catalogue[key] });
    script = page.output[0].code;
    merchant = await startSampleMerchant();
    const assumptions = { "error.language": "pt" } as const;
    sandbox = await startSandbox({ seed: "7", clock: "frozen", now: SAMPLE_START, assumptions });
    // Starting a sandbox has loaded the languages.
    catalogues.pt = catalogue;
    await fillSandbox(sandbox, merchant);
    browser = await startBrowser();
  }, 60_000);
  afterAll(async () => {
    catalogues.pt = portuguese;
    await browser?.[Symbol.asyncDispose]();
    await sandbox?.close();
    await merchant?.[Symbol.asyncDispose]();
  });

  it.each(["pt-BR", "en-US"])("with the browser's language %s", async (locale) => {
    await using opened = await browser.open("about:blank", { locale });
    const { page } = opened;
    await page.route("**/inspector.js", (route) =>
      route.fulfill({ body: script, contentType: "text/javascript; charset=utf-8" }),
    );
    const left = new Set<string>();
    for (const pane of PANES) {
      await page.goto(`${sandbox.url}/_sandbox/#/${pane}`);
      await page.locator('[data-testid="live-status"].live').waitFor();
      for (const part of englishIn(await page.evaluate<string>(SHOWN)))
        left.add(`${pane}: ${part}`);
    }
    if (locale === "pt-BR") expect([...left]).toEqual([]);
    else expect(left.size).toBeGreaterThan(20);
  });
});

/** In the browser: every text that is shown or named. */
const SHOWN = `[
  document.title,
  document.body.innerText,
  ...[...document.querySelectorAll("[aria-label],[title],[placeholder]")].flatMap((one) =>
    ["aria-label", "title", "placeholder"].map((name) => one.getAttribute(name) ?? "")),
].join("\\n")`;

describe("the page's bundle", () => {
  it("holds the texts of its own modules only", async () => {
    const { output } = await buildPage({ write: false });
    const [{ code }] = output;
    const plain = Object.values<unknown>(portuguese)
      .map(String)
      .filter((text) => /^[\p{L} .]{12,}$/u.test(text));
    const own = plain.filter((text) => code.includes(text));
    expect(own.length).toBeGreaterThan(50);
    expect(own.length).toBeLessThan(plain.length / 2);
    expect(code).toContain("Atividade");
    expect(code).not.toContain("O comando está vazio");
  });
});
