import { describe, expect, it } from "vitest";
import { runMain } from "../../support/main.ts";
import { freePort } from "../../support/process.ts";
import { callsTo } from "../../support/calls.ts";
import { run, sandbox, useSandbox } from "./scenario.ts";

useSandbox();

describe("a scenario that cannot be run", { timeout: 120_000 }, () => {
  it("ends with 3 if no sandbox responds, and with 5 for an unknown name", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const nobody = await runMain(["scenario", "run", "paid", "--url", url]);
    expect(nobody).toMatchObject({ code: 3, stdout: "" });
    expect(nobody.stderr).toContain(`No sandbox responds at ${url}`);
    const unknown = await runMain(["scenario", "run", "payed", "--url", url]);
    expect(unknown).toEqual({
      code: 5,
      signal: null,
      stdout: "",
      stderr: `error: Unknown scenario "payed".\nUse a name from npx pix-sandbox scenario list, or the path of a scenario file.\n`,
    });
  });

  it.each<[string, string | object, readonly string[]]>([
    ["no JSON", "{", ["The scenario story.json is not JSON: "]],
    [
      "a value in 20,000 others",
      `{"about":"x","steps":[{"create_payin":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}]}`,
      ["The scenario story.json is nested more than 100 levels deep."],
    ],
    [
      "an unknown member of a step",
      [{ settle: true, of: "x" }],
      ['step 1: unknown member "of".', "Use one of settle, says, only."],
    ],
  ])("ends with 2 for %s, and names file, step and member", async (_title, story, sentences) => {
    const before = await callsTo(sandbox.url).control("GET", "/integrations");
    const { code, stdout, stderr } = await run(story);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const sentence of sentences) expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(await callsTo(sandbox.url).control("GET", "/integrations")).toEqual(before);
  });
});
