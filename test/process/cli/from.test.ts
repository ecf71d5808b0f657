import { readFile, truncate, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/index.ts";
import { runCli, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import type { Json } from "../../support/gateway.ts";

/** The element with the data of a trace. */
const ELEMENT = /(<script type="application\/json" id="trace">)(.*?)(<\/script>)/s;
const HOSTILE = `\u001b[31m\u202e"><img src=x onerror=alert(1)></script>`;

type Folder = Awaited<ReturnType<typeof createFolder>>;
let folder: Folder;
let file: string;
let html: string;
beforeAll(async () => {
  folder = await createFolder();
  file = folder.at("trace.html");
  const sandbox = await startSandbox({ trace: file });
  const { id } = await sandbox.payins.create({ buyerName: HOSTILE });
  await sandbox.payins.pay(id);
  await sandbox.close();
  html = await readFile(file, "utf8");
});
afterAll(() => folder[Symbol.asyncDispose]());

/** The file with other data. */
function withData(change: (trace: Json) => unknown): string {
  const [, , data = ""] = ELEMENT.exec(html) ?? [];
  const changed = JSON.stringify(change(JSON.parse(data) as Json)).replaceAll("<", "\\u003c");
  return html.replace(ELEMENT, (_all, start: string, _data, end: string) => start + changed + end);
}

/** A trace whose payin has other members. */
function withPayin(members: Json): string {
  return withData((trace) => {
    const steps = trace["steps"] as { change: { payins?: Json[] } }[];
    for (const payin of steps.flatMap(({ change }) => change.payins ?? []))
      Object.assign(payin, members);
    return trace;
  });
}

const WRONG: readonly (readonly [string, () => string | Buffer])[] = [
  ["is empty", () => ""],
  ["is not HTML", () => Buffer.from([0, 1, 2, 0xff, 0xfe])],
  ["is JSON", () => "{}"],
  ["has no data", () => "<html></html>"],
  ["has data that is not JSON", () => html.replace(ELEMENT, "$1{$3")],
  ["has data that is no object", () => withData(() => [HOSTILE])],
  ["is of another version", () => withData((trace) => ({ ...trace, version: 2 }))],
  ["has an unknown member", () => withData((trace) => ({ ...trace, [HOSTILE]: 1 }))],
  ["has an unknown status", () => withPayin({ status: HOSTILE })],
  ["has an address that is none", () => withPayin({ webhookUrl: HOSTILE })],
  ["has a time that is none", () => withPayin({ createdAtMs: 1e300 })],
  [
    "has a step at no time",
    () =>
      withData(({ steps, ...trace }) => ({
        ...trace,
        steps: (steps as Json[]).map((step) => ({ ...step, at: 1e300 })),
      })),
  ],
  [
    "has an unknown assumption",
    () => withData((trace) => ({ ...trace, assumptions: { [HOSTILE]: 1 } })),
  ],
  [
    "has a choice that does not exist",
    () => withData((trace) => ({ ...trace, assumptions: { "webhook.retries": HOSTILE } })),
  ],
  [
    "has a request without a number",
    () => withData((trace) => ({ ...trace, requests: [{ id: "req_x" }] })),
  ],
];

describe("serve --from with a file that is no trace", { timeout: 120_000 }, () => {
  it.each(WRONG)("exits with 9 if it %s", async (_name, content) => {
    const wrong = folder.at("wrong.html");
    await writeFile(wrong, content());
    await expectRefused(wrong);
  });

  it("exits with 9 if it is too large, a folder, or does not exist", async () => {
    const large = folder.at("large.html");
    await writeFile(large, html);
    await truncate(large, 40 * 1024 * 1024);
    await expectRefused(large);
    for (const wrong of [folder.path, folder.at("nothing.html")])
      await expectRefused(wrong, /^error: The trace \S+ cannot be read: E\w+: .*\./);
  });
});

function isSafe(text: string): boolean {
  return !text.includes("\u001b") && !text.includes("\u202e");
}

async function expectRefused(
  wrong: string,
  sentence = /^error: The file \S+ is not a trace .*\./,
): Promise<void> {
  const ended = await runCli(["serve", "--memory", "--port", "0", "--from", wrong]);
  expect(ended).toMatchObject({ code: 9, stdout: "" });
  expect(ended.stderr).toMatch(sentence);
  // Nothing of the file reaches the terminal as it is.
  expect(isSafe(ended.stderr)).toBe(true);
  expect(ended.stderr).not.toMatch(/\n\s+at /);
}

it("says in Portuguese why a file is no trace", { timeout: 60_000 }, async () => {
  const wrong = folder.at("wrong.html");
  await writeFile(wrong, "<html></html>");
  const ended = await runCli(["serve", "--memory", "--lang", "pt-BR", "--from", wrong]);
  expect(ended).toMatchObject({ code: 9, stdout: "" });
  expect(ended.stderr).toContain('(ele não tem um elemento com o id "trace")');
});

describe("serve --from with an old trace", { timeout: 60_000 }, () => {
  it("goes on from its last moment: what was waiting still is", async () => {
    const old = folder.at("old.html");
    const sandbox = await startSandbox({ trace: old, now: "2026-01-02T03:04:05Z" });
    const { id } = await sandbox.payins.create({ expiration: 60 });
    await sandbox.close();
    // As if all that time had passed on the clock of this machine.
    const text = (await readFile(old, "utf8")).replaceAll(/"offsetMs":-?\d+/g, '"offsetMs":0');
    await writeFile(old, text);
    await using serving = await startServe(["--memory", "--from", old]);
    const response = await fetch(`${serving.url}/_sandbox/payins/${id}`);
    expect(await response.json()).toMatchObject({ id, status: "waiting" });
    const clock = (await (await fetch(`${serving.url}/_sandbox/clock`)).json()) as { now: string };
    expect(clock.now).toMatch(/^2026-01-02T03:/);
  });
});

describe("serve --from with hostile texts", { timeout: 60_000 }, () => {
  it("starts, and adds nothing to any prototype", async () => {
    const polluted = folder.at("polluted.html");
    const member = JSON.parse(`{"__proto__":{"polluted":1}}`) as Json;
    await writeFile(polluted, withPayin({ description: HOSTILE, fixture: "__proto__", ...member }));
    await using serving = await startServe(["--memory", "--from", polluted]);
    const response = await fetch(`${serving.url}/_sandbox/payins`);
    const { data } = (await response.json()) as { data: Json[] };
    expect(data).toMatchObject([{ status: "paid", description: HOSTILE }]);
    expect(data[0]).not.toHaveProperty("polluted");
    expect(isSafe(serving.stderr)).toBe(true);
  });
});
