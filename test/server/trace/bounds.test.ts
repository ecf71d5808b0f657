import { describe, expect, it } from "vitest";
import { readTrace, recordsAt, type Trace } from "../../../src/server/trace/trace.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { toTestHeader, TEST_HEADER } from "../../../src/wire/own-headers.ts";
import { requests } from "../../support/fixtures.ts";
import { call, type Json } from "../../support/gateway.ts";

const MAX_FILE_BYTES = 1_500_000;
const PAYINS = 400;

describe("a trace of more than a file has room for", () => {
  it.each([
    ["records and steps", true],
    ["records alone", false],
  ])("has the newest: %s", async (_name, isRecorded) => {
    await using sandbox = await startSandbox({ keepRequests: 50 });
    let newest = "";
    for (let number = 1; number <= PAYINS; number++) {
      const { json } = await call(sandbox, {
        path: "/v1/payins",
        token: "shop",
        headers: isRecorded ? { [TEST_HEADER]: toTestHeader(`test ${number}`, "1") } : {},
        body: { ...requests.get("payin"), buyer_name: `${"<".repeat(300)} ${number}` },
      });
      newest = String((json as Json)["id"]);
    }
    const html = await (await sandbox.fetch("/_sandbox/trace?masked=false")).text();
    expect(Buffer.byteLength(html)).toBeLessThan(MAX_FILE_BYTES);
    const trace = readTrace(html, "trace.html");
    const { payins } = recordsAt(trace);
    expect(payins.get(newest)?.buyerName).toMatch(/ 400$/);
    expect(payins.size).toBeGreaterThan(100);
    expect(payins.size).toBeLessThan(PAYINS);
    if (isRecorded) expectNewest(trace);
  });
});

/** Every test that it names is in it, up to the last one. */
function expectNewest({ tests, steps, requests: logged }: Trace): void {
  expect(tests.at(-1)).toMatchObject({ name: "test 400", until: steps.length });
  expect(tests.every(({ from, until }) => from < until && until <= steps.length)).toBe(true);
  const last = tests.at(-1)?.id;
  expect(logged.at(-1)).toMatchObject({ test: last });
}
