import { describe, expect, it } from "vitest";
import { runMain } from "../../support/main.ts";
import { freePort } from "../../support/process.ts";
import { callsTo } from "../../support/calls.ts";
import { folder, run, sandbox, useSandbox } from "./scenario.ts";

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
    ["no object", '"paid"', ["The scenario story.json: Use a JSON object."]],
    ["no steps", { about: "x", steps: [] }, ['story.json, member "steps": Use at least one step']],
    ["nothing told", { steps: [{ settle: true }] }, ['member "about": The member is required.']],
    ["an unknown member", { about: "x", step: [] }, ['unknown member "step".']],
    [
      "a step that does nothing",
      [{ settle: true }, { says: "Nothing" }],
      ['story.json, step 2: the step has no action; its members are "says".', "create_payin"],
    ],
    [
      "a step that does two things",
      [{ settle: true, clock: "freeze" }],
      ["step 1: the step has two actions, settle and clock."],
    ],
    [
      "an unknown member of a step",
      [{ settle: true, of: "x" }],
      ['step 1: unknown member "of".', "Use one of settle, says, only."],
    ],
    [
      "an unknown member of an answer",
      [{ create_payin: {}, answer: { statuss: 200 } }],
      ['step 1: unknown member "answer.statuss".'],
    ],
    ["a wrong time", [{ clock: "advance soon" }], ['member "clock": Use freeze, resume, ']],
    ["a wrong duration", [{ wait_for: "x", timeout: "1 h" }], ['member "timeout": Use a duration']],
    [
      "an unknown effect",
      [{ fault: "duplicate", on: "payins.create" }],
      ['member "fault": fault must be one of error=CODE'],
    ],
    ["an unknown place", [{ fault: "hold", on: "payins" }], ['member "on": Use one of payins.c']],
    ["a fault without its place", [{ fault: "hold" }], ['member "on": The member is required. ']],
    [
      "wrong answers",
      [{ merchant_answers: [99] }],
      ['member "merchant_answers.0": Use HTTP statuses'],
    ],
    [
      "a key that no header carries",
      [{ create_payin: {}, key: "ключ" }],
      ['member "key": Invalid header value.'],
    ],
    [
      "a header that is none",
      [{ call: "GET /v1/webhooks", headers: { "x y": "z" } }],
      ['step 1, member "headers.x y": '],
    ],
    ["a path that is none", [{ call: "GET /v1/é" }], ['member "call": Use a method and a path']],
    [
      "a name that nothing has",
      [{ create_payin: {}, as: "charge" }, { pay: "charg" }],
      ['step 2: no earlier step defines a payin with the name "charg".', "Use one of charge."],
    ],
    [
      "a payout that is to be paid",
      [{ create_payout: {}, as: "payout" }, { pay: "payout" }],
      ['step 2: no earlier step defines a payin with the name "payout".'],
    ],
    [
      "a reference to what comes later",
      [{ create_payin: { description: "{{later.id}}" } }, { create_payin: {}, as: "later" }],
      ['step 1: no earlier step defines the name "later".'],
    ],
    [
      "any value in what is said",
      [{ create_payin: { description: "{{any}}" } }],
      ['step 1, member "create_payin": use {{any}} only as a whole expected value'],
    ],
    [
      "any value as a part of a text",
      [
        { create_payin: {}, as: "charge" },
        { expect_record: "charge", members: { id: "no {{any}}" } },
      ],
      ['step 2, member "members": use {{any}} only as a whole expected value'],
    ],
    [
      "a name that is given twice",
      [
        { create_payin: {}, as: "charge" },
        { create_payin: {}, as: "charge" },
      ],
      ['step 2, member "as": the name "charge" is in use.'],
    ],
    [
      "an answer now of a call that is answered later",
      [{ create_payin: {}, as: "charge", later: true, answer: { status: 200 } }],
      ['step 1, member "later": the response comes later.'],
    ],
    [
      "an answer later of a call that is answered now",
      [{ create_payin: {}, as: "charge" }, { answer_of: "charge" }],
      ['step 2: "charge" is not a call with a later response.'],
    ],
  ])("ends with 2 for %s, and names file, step and member", async (_title, story, sentences) => {
    const before = await callsTo(sandbox.url).control("GET", "/integrations");
    const { code, stdout, stderr } = await run(story);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const sentence of sentences) expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(await callsTo(sandbox.url).control("GET", "/integrations")).toEqual(before);
  });

  it("ends with 2 for a file that cannot be read", async () => {
    const missing = await runMain(["scenario", "run", folder.at("missing.json")]);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toContain("missing.json cannot be read: it does not exist.");
  });
});
