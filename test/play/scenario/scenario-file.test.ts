import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PlayError } from "../../../src/play/play-error.ts";
import { describeStep, readScenario } from "../../../src/play/scenario/scenario.ts";
import { REFUSED } from "./refused-files.ts";
import { createFolder } from "../../support/folder.ts";
import { inWords, wordsOf } from "../../support/words.ts";

const charge = { create_payin: {}, as: "charge" };

let folder: Awaited<ReturnType<typeof createFolder>>;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Reads a scenario of these steps, or of these members. */
const read = async (given: unknown) => {
  const isSteps = Array.isArray(given) && given.length > 0;
  const story = isSteps ? { about: "A story of this test.", steps: given as unknown[] } : given;
  const file = folder.at("story.json");
  await writeFile(file, JSON.stringify(story));
  return await readScenario(file, "story.json");
};

describe("a scenario file", () => {
  it("takes the extremes of every range, and completes what is left out", async () => {
    const { about, steps } = await read([
      { ...charge, key: " key 1 ", says: "The buyer pays" },
      { create_payin: {}, as: "low", answer: { status: 100, headers: { allow: null } } },
      { create_payin: {}, as: "high", answer: { status: 599, body: {} } },
      { fault: "hold", on: "payins.create", times: 1, probability: 0, as: "never" },
      { fault: "hold", on: "payins.create", probability: 1 },
      { merchant_answers: [200, 599, "nothing"] },
      { expect_received: 0, ids: 0 },
      { send_webhook: "payin.paid" },
      { wait_for: "payin.paid", of: "charge", timeout: "1.5ms", as: "webhook" },
      { expect_record: "charge", members: { id: "{{ any }}", value: "{{merchant.url}}" } },
      { call: "DELETE /_sandbox/faults", only: "own_handler" },
    ]);
    expect(about).toEqual(inWords({ en: "A story of this test." }));
    expect(steps).toEqual([
      {
        verb: "create_payin",
        ...charge,
        key: "key 1",
        says: inWords({ en: "The buyer pays" }),
      },
      {
        verb: "create_payin",
        create_payin: {},
        as: "low",
        answer: { status: 100, headers: { allow: null } },
      },
      { verb: "create_payin", create_payin: {}, as: "high", answer: { status: 599, body: {} } },
      {
        verb: "fault",
        fault: "hold",
        on: "payins.create",
        times: 1,
        probability: 0,
        as: "never",
      },
      { verb: "fault", fault: "hold", on: "payins.create", probability: 1 },
      { verb: "merchant_answers", merchant_answers: [200, 599, "nothing"] },
      { verb: "expect_received", expect_received: 0, ids: 0 },
      { verb: "send_webhook", send_webhook: "payin.paid", signature: "valid", json: "usual" },
      {
        verb: "wait_for",
        wait_for: "payin.paid",
        of: "charge",
        timeout: "1.5ms",
        as: "webhook",
      },
      {
        verb: "expect_record",
        expect_record: "charge",
        members: { id: "{{ any }}", value: "{{merchant.url}}" },
      },
      { verb: "call", call: "DELETE /_sandbox/faults", only: "own_handler" },
    ]);
  });

  it("describes a step by what it says, else by its verb and what the verb names", async () => {
    const { steps } = await read([
      { ...charge, says: "The buyer pays" },
      { settle: true, says: "It settles" },
      // Words that the catalogues or JavaScript know are not theirs.
      { settle: true, says: "toString" },
      { settle: true, says: "all" },
      { create_payout: { value: 1 } },
      { pay: "charge" },
      { merchant_answers: [500] },
    ]);
    expect(steps.map(describeStep)).toEqual([
      inWords({ en: "The buyer pays" }),
      inWords({ en: "It settles" }),
      inWords({ en: "toString" }),
      inWords({ en: "all" }),
      inWords({ en: 'create_payout {"value":1}' }),
      inWords({ en: "pay charge" }),
      inWords({ en: "merchant_answers [500]" }),
    ]);
  });

  it("may begin with a byte order mark, and have 100 levels but not 101", async () => {
    // The file, its list, and a step are three levels.
    const nested = (levels: number): string =>
      `\ufeff{"about":"x","steps":[{"create_payin":${'{"a":'.repeat(levels - 3)}1${"}".repeat(levels - 3)}}]}`;
    await writeFile(folder.at("deep.json"), nested(100));
    await expect(readScenario(folder.at("deep.json"), "deep.json")).resolves.toMatchObject({
      about: inWords({ en: "x" }),
    });
    await writeFile(folder.at("deep.json"), nested(101));
    await expect(readScenario(folder.at("deep.json"), "deep.json")).rejects.toMatchObject({
      text: inWords({ en: "The scenario deep.json is nested more than 100 levels deep." }),
      hint: inWords({ en: "The gateway accepts bodies of at most 32 levels." }),
    });
  });

  it("that does not exist is refused with what to use instead", async () => {
    await expect(readScenario(folder.at("missing.json"), "missing.json")).rejects.toMatchObject({
      hint: inWords({ en: expect.stringContaining("npx pix-sandbox scenario list") }),
    });
  });

  it.each(REFUSED)("is refused: %s", async (_title, given, place) => {
    const refusal: unknown = await read(given).catch((thrown: unknown) => thrown);
    expect(refusal).toBeInstanceOf(PlayError);
    const { code, text } = refusal as PlayError;
    expect(code).toBe("USAGE");
    expect(wordsOf(text).startsWith(`The scenario story.json${place}`)).toBe(true);
  });
});
