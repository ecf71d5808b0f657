import { readdir, readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { toWireNames } from "../../src/text/plain/camel-case.ts";
import { createProject, type Project } from "../long/consumers/project.ts";
import type { TestBrowser } from "./browser.ts";
import type { Json } from "./gateway.ts";
import type { Ended } from "./process.ts";
import { readTrace } from "./trace.ts";

/** What the failing test of `test/long/consumers/failing` leaves beside its trace. */
interface Left {
  /** The payin that waits to be paid. */
  readonly id: string;
  /** All records at its end, with the names of the test API. */
  readonly records: readonly Json[];
  /** What must not be in its trace. */
  readonly hidden: readonly string[];
}

/** What a trace replaces. */
const MASKED = /^(?:integration|description|pix_key|(?:buyer|receiver)_(?:cpf|name|email))$/;

/**
 * Runs a suite in which one of three tests fails, and checks the one trace that it leaves: it has the records of this
 * test, hides what is private, and opens from the disk without a network.
 */
export async function checkFailedSuite(
  browser: TestBrowser,
  packages: readonly string[],
  run: (project: Project) => Promise<Ended>,
): Promise<void> {
  await using project = await createProject("failing", packages);
  const { code, stdout, stderr } = await run(project);
  expect({ code, output: stdout + stderr }).toMatchObject({
    code: 1,
    output: expect.stringMatching(/1 failed[^]*2 passed/) as string,
  });
  const files = await tracesIn(project);
  expect(files).toEqual([
    expect.stringMatching(
      /failing-\w+-js-the-charge-of-a-customer-is-paid-[\da-f]{8}\.trace\.html$/,
    ),
  ]);
  const file = project.at(files[0] ?? "");
  const left = JSON.parse(await readFile(project.at("left.json"), "utf8")) as Left;
  const html = await readFile(file, "utf8");
  expect(left.hidden.flatMap(formsOf).filter((form) => html.includes(form))).toEqual([]);
  const { rows } = readTrace(html);
  const traced = [...rows["/payins"], ...rows["/payouts"]].map((one) => unmasked({ ...one }));
  const records = left.records.map((one) => unmasked(toWireNames(one) as Json));
  expect(new Set(traced)).toEqual(new Set(records));
  await checkPage(browser, file, left);
}

async function tracesIn(project: Project): Promise<string[]> {
  const files = await readdir(project.at("."), { recursive: true });
  return files.filter((name) => name.endsWith(".trace.html"));
}

/** How a value could stand in a file. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    encodeURIComponent(value),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    value.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4"),
  ];
}

async function checkPage(browser: TestBrowser, file: string, { id }: Left): Promise<void> {
  const address = `${pathToFileURL(file).href}#/payins/${id}`;
  await using opened = await browser.open(address, { offline: true });
  const { page, problems } = opened;
  const timeline = page.getByTestId("timeline");
  await timeline.getByText("POST /v1/payins").waitFor();
  await timeline.locator('a[href*="requests/"]').first().click();
  await page.getByText("Pedido de").first().waitFor();
  expect(problems).toEqual([]);
}

function unmasked(record: Json): unknown {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !MASKED.test(name)));
}
