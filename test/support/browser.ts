import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const UNPACK = fileURLToPath(new URL("./unpack-browser.js", import.meta.url));
/** Where the package's Chromium is unpacked, once for an installation. */
const FOLDER = path.join(ROOT, "node_modules/.cache/chromium-147");

/** A real browser, with pages that record what goes wrong in them. */
export interface TestBrowser extends AsyncDisposable {
  open(url: string, options?: BrowserContextOptions): Promise<TestPage>;
}

export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /** Messages of the console, dialogs, errors, violations of the policy, and requests to other origins. */
  readonly problems: readonly string[];
}

/**
 * Starts a Chromium: the one of the package on Linux, elsewhere the installed Chrome.
 * @param args more arguments of its command line
 */
export async function startBrowser(args: readonly string[] = []): Promise<TestBrowser> {
  const browser = await chromium.launch(await launchOptions(args));
  return {
    open: (url, options) => open(browser, url, options),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** What Playwright needs to start this browser. @param args more arguments of its command line */
export async function launchOptions(args: readonly string[] = []): Promise<LaunchOptions> {
  if (process.platform !== "linux" || process.arch !== "x64")
    return { channel: "chrome", args: [...args] };
  await unpack();
  return {
    executablePath: path.join(FOLDER, "chromium"),
    args: ["--no-sandbox", "--headless=shell", "--hide-scrollbars", ...args],
    env: {
      ...(process.env as Record<string, string>),
      // Its own libraries: a fresh machine may have none.
      LD_LIBRARY_PATH: path.join(FOLDER, "al2023/lib"),
      ...(!existsSync("/etc/fonts") && { FONTCONFIG_PATH: path.join(FOLDER, "fonts") }),
    },
  };
}

/** Unpacks the browser; another process may do the same at the same time. */
async function unpack(): Promise<void> {
  if (existsSync(FOLDER)) return;
  const own = `${FOLDER}.${process.pid}`;
  await mkdir(own, { recursive: true });
  await promisify(execFile)(process.execPath, [UNPACK], { env: { ...process.env, TMPDIR: own } });
  await rename(own, FOLDER).catch(() => rm(own, { recursive: true, force: true }));
}

async function open(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<TestPage> {
  const context = await browser.newContext({ locale: "en-US", timezoneId: "UTC", ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const { origin } = new URL(url);
  page.on("console", (message) => {
    problems.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => {
    problems.push(`error: ${error.message}`);
  });
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { protocol, origin: target } = new URL(request.url());
    if (protocol !== "data:" && target !== origin) problems.push(`request to ${request.url()}`);
  });
  if (options.javaScriptEnabled !== false) {
    await page.exposeBinding("reportViolation", (_source, text: string) => {
      problems.push(`policy: ${text}`);
    });
    await page.addInitScript(REPORT_VIOLATIONS);
  }
  await page.goto(url);
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

const REPORT_VIOLATIONS = `document.addEventListener("securitypolicyviolation", (event) =>
  reportViolation([event.violatedDirective, event.blockedURI, event.sample].join(" ")));`;

/**
 * The rules of accessibility that the page breaks, each with an element; empty if there are none.
 * @param rules the ids of the rules to check; default: all
 */
export async function findBarriers(
  page: Page,
  rules?: readonly string[],
): Promise<readonly string[]> {
  // A script element would violate the page's policy.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(await axe());
  return page.evaluate(async (only) => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({
      resultTypes: ["violations"],
      ...(only && { runOnly: only }),
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`),
    );
  }, rules);
}

interface Axe {
  run(options: {
    readonly resultTypes: readonly string[];
    readonly runOnly?: readonly string[];
  }): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { html: string }[];
    }[];
  }>;
}

let axeSource: Promise<string> | undefined;

function axe(): Promise<string> {
  return (axeSource ??= readFile(path.join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8"));
}
