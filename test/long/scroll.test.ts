import { expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { startBrowser } from "../support/browser.ts";
import { lacks } from "../support/lacks.ts";

const COUNT = 10_000;
/** A frame at 60 Hz takes 16.7 ms. A busy machine must not fail this, a list that draws all its rows must. */
const LIMIT_MS = 34;

interface Scrolled {
  readonly frames: readonly number[];
  readonly mostRows: number;
  readonly height: number;
}

/** Scrolls the list, 600 pixels a frame, until its last row is the oldest payin: older rows load on the way. */
const SCROLL = `new Promise((done) => {
  const list = document.querySelector(".viewport");
  const rows = () => [...document.querySelectorAll('[data-testid="row"]')];
  const frames = [];
  let mostRows = 0, before = performance.now();
  requestAnimationFrame(function next(now) {
    frames.push(now - before);
    before = now;
    const drawn = rows();
    mostRows = Math.max(mostRows, drawn.length);
    list.scrollTop += 600;
    if (drawn.at(-1).textContent.includes("R$1.00")) done({ frames, mostRows, height: list.scrollHeight });
    else requestAnimationFrame(next);
  });
})`;

it.skipIf(lacks("the long form"))(
  "the list of 10,000 payins scrolls at the speed of the screen",
  { timeout: 180_000 },
  async () => {
    await using sandbox = await startSandbox({ seed: "1" });
    for (let index = 0; index < COUNT; index++)
      await sandbox.payins.create({ value: 1 + index / 100 });
    await using browser = await startBrowser();
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/payins`);
    const { page } = opened;
    await page.getByTestId("row").first().waitFor();
    const { frames, mostRows, height } = await page.evaluate<Scrolled>(SCROLL);
    const sorted = frames.toSorted((one, other) => one - other);
    const [median = 0, late = 0] = [0.5, 0.95].map(
      (part) => sorted[Math.floor(part * frames.length)],
    );
    process.stdout.write(
      `${COUNT} payins, ${height} pixels in ${frames.length} frames: ${median.toFixed(1)} ms each (median), ${late.toFixed(1)} ms (p95); at most ${mostRows} rows are drawn\n`,
    );
    expect(median).toBeLessThan(LIMIT_MS);
    expect(mostRows).toBeLessThan(100);
  },
);
