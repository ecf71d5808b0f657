/**
 * What the inspector's page costs a browser: the size of its files, what is painted before data arrives, the
 * frames while 10,000 payins scroll, and the frames and the heap while 1,000 events a second arrive.
 * On a busy machine an empty page loses frames as well, so it is measured too; and a task that takes long
 * because other processes run has little CPU time.
 */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { formatCount, median } from "./figures.js";
import { sendRequests } from "./generator.js";
import { startSandbox } from "./servers.js";

/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").BrowserContext} BrowserContext */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./figures.js").Figure} Figure */

const FILES = fileURLToPath(new URL("../../dist/inspector/", import.meta.url));
const EVENTS = fileURLToPath(new URL("processes/inspector-load.js", import.meta.url));
const PAYINS = 10_000;
const EVENTS_PER_SECOND = 1_000;
/** More than the target, so that a generator that falls behind for a moment still reaches it. */
const OFFERED_PER_SECOND = 1_200;
const LOAD_SECONDS = 10;
const IDLE_SECONDS = 3;
const SCROLL_SECONDS = 20;
const DELAY_MS = 1_500;
const SMOOTH_MS = 20;
const PAINT_ROUNDS = 5;

/**
 * @param {import("./index.js").Options} options
 * @returns {Promise<Figure[]>}
 */
export async function measureInspector({ short }) {
  const { default: sparticuz } = await import("@sparticuz/chromium"); // other measurements do not need a browser
  const { chromium } = await import("playwright-core");
  const sandbox = await startSandbox(["--memory"]);
  const browser = await chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: ["--no-sandbox", "--headless=shell"],
  });
  try {
    await sendRequests(sandbox, PAYINS);
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const address = `http://127.0.0.1:${sandbox.port}/_sandbox/`;
    return [
      await measureSize(),
      ...(await measurePaint(context, address)),
      ...(await measureScrolling(context, address)),
      ...(await measureEvents(context, address, "payins", sandbox.port)),
      ...(await measureEvents(context, address, "activity", sandbox.port)),
      await measureHeap(context, address, sandbox.port, short ? 1 : 5),
    ];
  } finally {
    await browser.close();
    await sandbox.stop();
  }
}

/** @returns {Promise<Figure>} */
async function measureSize() {
  const names = (await readdir(FILES)).toSorted();
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(`${FILES}${name}`), { level: 9 }).length),
  );
  return {
    name: "the inspector's files, kB compressed",
    ratios: [sizes.reduce((sum, size) => sum + size) / 1_000],
    target: { atMost: 60 },
    absolute: names.map((name, index) => `${name} ${(sizes[index] / 1_000).toFixed(1)}`).join(", "),
  };
}

/**
 * @param {BrowserContext} context
 * @param {string} address
 * @returns {Promise<Figure[]>}
 */
async function measurePaint(context, address) {
  /** @param {number} delayMs of each response with data */
  const rounds = async (delayMs) => {
    const times = [];
    for (let round = 0; round < PAINT_ROUNDS; round++)
      times.push(await timePaint(context, address, delayMs));
    return times;
  };
  const delayed = await rounds(DELAY_MS);
  const usual = await rounds(0);
  return [
    toPaintFigure(`first paint / data that is ${DELAY_MS} ms late`, delayed, 1),
    toPaintFigure("first paint / data", usual),
  ];
}

/**
 * When a page had painted something, and when it had the first data, in milliseconds.
 * @param {BrowserContext} context
 * @param {string} address
 * @param {number} delayMs
 */
async function timePaint(context, address, delayMs) {
  const page = await context.newPage();
  if (delayMs > 0)
    await page.route("**/_sandbox/*", async (route) => {
      if (route.request().resourceType() === "fetch")
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      await route.continue().catch(() => undefined); // The page may be closed.
    });
  await page.goto(`${address}#/payins`);
  await page.locator("[data-testid=row]").first().waitFor();
  const times = await page.evaluate(() => ({
    paintedMs: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    dataMs: Math.min(
      ...performance
        .getEntriesByType("resource")
        .filter((one) => one.initiatorType === "fetch")
        .map((one) => one.responseEnd),
    ),
  }));
  await page.close();
  return times;
}

/**
 * @param {string} name
 * @param {{ paintedMs: number, dataMs: number }[]} rounds
 * @param {number} [atMost]
 * @returns {Figure}
 */
function toPaintFigure(name, rounds, atMost) {
  const painted = Math.round(median(rounds.map(({ paintedMs }) => paintedMs)));
  const data = Math.round(median(rounds.map(({ dataMs }) => dataMs)));
  return {
    name,
    ratios: rounds.map(({ paintedMs, dataMs }) => paintedMs / dataMs),
    ...(atMost !== undefined && { target: { atMost } }),
    absolute: `${painted} ms / ${data} ms`,
  };
}

/**
 * Scrolls from the newest payin to the oldest, 500 rows a second; older pages load on the way.
 * @param {BrowserContext} context
 * @param {string} address
 * @returns {Promise<Figure[]>}
 */
async function measureScrolling(context, address) {
  const idle = await framesOfEmptyPage(context, IDLE_SECONDS);
  const page = await openPane(context, address, "payins");
  const { result, longestCpuMs } = await traced(page, () =>
    page.evaluate(scrollThrough, { seconds: SCROLL_SECONDS, rows: PAYINS }),
  );
  const { frames, reached } = result;
  await page.close();
  if (reached < PAYINS) throw new Error(`Only ${reached} of ${PAYINS} payins could be reached.`);
  return [
    {
      name: `frames below ${SMOOTH_MS} ms, ${formatCount(PAYINS)} payins scroll`,
      ratios: [shareOfSmooth(frames)],
      target: { atLeast: 0.95 },
      absolute: `${describe(frames)}; an empty page ${describe(idle)}`,
    },
    {
      name: "longest task meanwhile, ms of CPU time",
      ratios: [longestCpuMs],
      absolute: "",
    },
  ];
}

/**
 * Runs in the page: scrolls the list a little in each frame, until it is at the last row.
 * @param {{ seconds: number, rows: number }} how
 * @returns {Promise<{ frames: number[], reached: number }>} `reached`: how many rows it has passed
 */
function scrollThrough({ seconds, rows }) {
  const list = /** @type {HTMLElement} */ (document.querySelector(".viewport"));
  const rowHeight = /** @type {HTMLElement} */ (list.querySelector(".row")).offsetHeight;
  const pixelsPerMs = (rows * rowHeight) / (seconds * 1_000);
  const longestStepMs = 50; // A late frame does not jump.
  const limitMs = 3_000 * seconds;
  /** @type {number[]} */
  const frames = [];
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let before = startedAt;
    const step = (/** @type {number} */ now) => {
      const elapsedMs = Math.max(0, now - before);
      before = now;
      frames.push(elapsedMs);
      list.scrollTop += pixelsPerMs * Math.min(elapsedMs, longestStepMs);
      const reached = Math.round((list.scrollTop + list.clientHeight) / rowHeight);
      if (reached >= rows || now - startedAt > limitMs)
        resolve({ frames: frames.slice(1), reached });
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

/**
 * @param {BrowserContext} context
 * @param {string} address
 * @param {string} pane
 * @param {number} port
 * @returns {Promise<Figure[]>}
 */
async function measureEvents(context, address, pane, port) {
  const loadingEmpty = sendEvents(port, LOAD_SECONDS);
  const idle = await framesOfEmptyPage(context, LOAD_SECONDS);
  await loadingEmpty;
  const page = await openPane(context, address, pane);
  const loading = sendEvents(port, LOAD_SECONDS);
  const { result: frames, longestCpuMs } = await traced(page, () =>
    page.evaluate(recordFrames, LOAD_SECONDS),
  );
  const { per_second } = await loading;
  await expectAllShown(page, port);
  await page.close();
  const beside = `${describe(frames)}; an empty page ${describe(idle)}`;
  return [
    {
      name: `${pane}: events a second`,
      ratios: [per_second],
      target: { atLeast: EVENTS_PER_SECOND },
      absolute: `for ${LOAD_SECONDS} s`,
    },
    {
      name: `${pane}: longest frame meanwhile, ms`,
      ratios: [Math.max(...frames)],
      target: { atMost: 100 },
      absolute: beside,
    },
    {
      name: `${pane}: longest task meanwhile, ms of CPU time`,
      ratios: [longestCpuMs],
      absolute: "",
    },
    {
      name: `${pane}: frames below ${SMOOTH_MS} ms / an empty page's`,
      ratios: [shareOfSmooth(frames) / shareOfSmooth(idle)],
      absolute: beside,
    },
  ];
}

/**
 * @param {BrowserContext} context
 * @param {string} address
 * @param {number} port
 * @param {number} minutes for how long the heap is watched
 * @returns {Promise<Figure>}
 */
async function measureHeap(context, address, port, minutes) {
  const page = await openPane(context, address, "activity");
  const session = await context.newCDPSession(page);
  const readHeap = async () => {
    await page.evaluate(recordFrames, 1); // The last events are drawn by then.
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return usedSize / 1_000_000;
  };
  const heaps = [await readHeap()];
  /** @type {number[]} */
  const rates = [];
  const parts = Math.max(3, minutes);
  for (let part = 0; part < parts; part++) {
    rates.push((await sendEvents(port, (minutes * 60) / parts)).per_second);
    heaps.push(await readHeap());
  }
  await page.close();
  const [, first, ...later] = heaps;
  return {
    name: `heap / that after ${minutes / parts < 1 ? "20 s" : "1 min"} of ${minutes} min of events`,
    ratios: [Math.max(...later.map((heap) => Math.max(heap / first, first / heap)))],
    target: { atMost: 1.1 },
    absolute: `${heaps.map((heap) => heap.toFixed(1)).join(", ")} MB (the first before them), ${formatCount(median(rates))} events/s`,
  };
}

/**
 * @param {BrowserContext} context
 * @param {string} address
 * @param {string} pane
 */
async function openPane(context, address, pane) {
  const page = await context.newPage();
  page.on("pageerror", (error) => process.stderr.write(`${error.stack}\n`));
  await page.goto(`${address}#/${pane}`);
  await page.locator("[data-testid=live-status].live").waitFor();
  await page.locator("[data-testid=row]").first().waitFor();
  await page.evaluate(recordFrames, 1); // the warm-up
  return page;
}

/** The list has all payins that the sandbox has. @param {Page} page @param {number} port */
async function expectAllShown(page, port) {
  const { headers } = await fetch(`http://127.0.0.1:${port}/_sandbox/payins?limit=1`);
  const total = headers.get("x-total-count") ?? "";
  await page.evaluate(() => (location.hash = "#/payins"));
  await page.locator(".count", { hasText: new RegExp(`^${total}$`) }).waitFor();
}

/**
 * @param {BrowserContext} context
 * @param {number} seconds
 */
async function framesOfEmptyPage(context, seconds) {
  const page = await context.newPage();
  const frames = await page.evaluate(recordFrames, seconds);
  await page.close();
  return frames;
}

/**
 * Runs in the page: the milliseconds between its frames.
 * @param {number} seconds
 * @returns {Promise<number[]>}
 */
function recordFrames(seconds) {
  /** @type {number[]} */
  const frames = [];
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let before = 0;
    const step = (/** @type {number} */ now) => {
      if (before > 0) frames.push(now - before);
      before = now;
      if (now - startedAt > seconds * 1_000) resolve(frames);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

/**
 * @param {number} port
 * @param {number} seconds
 * @returns {Promise<import("./inspector-load.js").InspectorLoadResult>}
 */
async function sendEvents(port, seconds) {
  const rate = `--events-per-second=${OFFERED_PER_SECOND}`;
  const args = [EVENTS, `--port=${port}`, rate, `--seconds=${seconds}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

/**
 * Does something, and finds the longest task of the page's main thread meanwhile, in its own CPU time.
 * @template Result
 * @param {Page} page
 * @param {() => Promise<Result>} act
 */
async function traced(page, act) {
  const browser = /** @type {Browser} */ (page.context().browser());
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  const result = await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const threadOf = (/** @type {any} */ { pid, tid }) => `${pid} ${tid}`;
  const mainThreads = new Set(
    traceEvents
      .filter((/** @type {any} */ { args }) => args?.name === "CrRendererMain")
      .map(threadOf),
  );
  let longestUs = 0;
  for (const event of traceEvents)
    if (mainThreads.has(threadOf(event))) longestUs = Math.max(longestUs, event.tdur ?? 0);
  return { result, longestCpuMs: longestUs / 1_000 };
}

/** @param {number[]} frames */
function shareOfSmooth(frames) {
  return frames.filter((frame) => frame < SMOOTH_MS).length / frames.length;
}

/** @param {number[]} frames */
function describe(frames) {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  const smooth = (shareOfSmooth(frames) * 100).toFixed(1);
  return `${smooth} % of ${frames.length} frames below ${SMOOTH_MS} ms, p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, longest ${at(1)} ms`;
}
