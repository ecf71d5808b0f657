import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { STANDARD_ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { FixtureError } from "../../src/core/records/errors.ts";
import { readFixtureFile, readFixtures } from "../../src/server/start-up/fixtures.ts";
import { createFolder } from "../support/folder.ts";
import { BUYER, RECEIVER } from "../support/calls.ts";
import { say } from "../../src/text/message.ts";
import { inWords } from "../support/words.ts";

const PAYIN = { ...BUYER, webhook_url: "http://127.0.0.1:9/hook" };
const PAYOUT = { ...RECEIVER, webhook_url: "http://127.0.0.1:9/hook" };
const FAULT = { on: "payouts.create", effect: "error=EXTERNAL_ERROR", times: 1 };

const read = (value: unknown) =>
  readFixtures([{ title: say`The file`, value }], () => STANDARD_ASSUMPTIONS);

function errorOf(work: () => unknown): FixtureError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(FixtureError);
    return error as FixtureError;
  }
  throw new Error("Nothing was refused.");
}

describe("fixtures that are read", () => {
  it("have the token sandbox and the status waiting, or those they name", () => {
    const all = read({
      payins: [PAYIN, { ...PAYIN, token: " shop ", status: "paid" }],
      payouts: [{ ...PAYOUT, token: "shop", status: "canceled" }],
      faults: [FAULT, { ...FAULT, token: "shop" }],
    });
    const payins = all.filter(({ kind }) => kind === "payin");
    const payouts = all.filter(({ kind }) => kind === "payout");
    const faults = all.filter(({ kind }) => kind === "fault");
    const place = (index: number) => inWords({ en: `The file, payins.${index}` });
    expect(payins).toMatchObject([
      { integration: "sandbox", status: "waiting", place: place(0) },
      { integration: "shop", status: "paid", place: place(1) },
    ]);
    expect(payins[0]?.draft).toEqual({ ...PAYIN, generate_qrcode: false, expiration: 240 });
    expect(payouts).toMatchObject([
      { integration: "shop", status: "canceled", draft: { pix_key: PAYOUT.pix_key } },
    ]);
    expect(faults).toMatchObject([
      { integration: null, draft: FAULT },
      { integration: "shop", draft: FAULT },
    ]);
  });

  it("are known by what they say: the order of members aside, and equal ones by their number", () => {
    const turned = Object.fromEntries(Object.entries(PAYIN).toReversed());
    const other = { ...PAYIN, value: 1 };
    const names = (all: ReturnType<typeof read>) => all.map(({ name }) => name);
    const [one, two, three] = names(read({ payins: [PAYIN, other, turned] }));
    expect(new Set([one, two, three]).size).toBe(3);
    // Wherever each stands, and whatever file it is in.
    expect(names(read({ payins: [other, PAYIN] }))).toEqual([two, one]);
    const files = [[turned], [other, PAYIN]].map((payins, index) => ({
      title: say`File ${index}`,
      value: { payins },
    }));
    expect(names(readFixtures(files, () => STANDARD_ASSUMPTIONS))).toEqual([one, two, three]);
  });

  it.each([
    [[], "The file"],
    [{ payins: {} }, "The file, payins"],
    [{ faults: [FAULT, 1] }, "The file, faults.1"],
    [{ payin: [] }, "The file"],
    [{ payouts: [{ ...PAYOUT, status: "paid" }] }, "The file, payouts.0.status"],
    ...[1, "", " ", "a\nb"].map(
      (token) => [{ faults: [{ ...FAULT, token }] }, "The file, faults.0.token"] as const,
    ),
    [{ payins: [PAYIN, { ...PAYIN, buyer_cpf: "1", value: "ten" }] }, "The file, payins.1.value"],
    [{ faults: [{ ...FAULT, times: 0 }] }, "The file, faults.0.times"],
    [{ payins: [{ ...PAYIN, color: "red" }] }, "The file, payins.0.color"],
  ] as const)("are refused where they are wrong, with the place: %j", (value, place) => {
    const { message } = errorOf(() => read(value));
    expect(message.startsWith(place)).toBe(true);
    expect(message.slice(place.length)).toMatch(/^: /);
  });

  it("are refused if they are nested too deeply, as a request's body is", () => {
    let deep: object = {};
    for (let level = 0; level < 20_000; level++) deep = { a: deep };
    for (const [list, entry] of [
      ["payins", { ...PAYIN, description: deep }],
      ["faults", { ...FAULT, match: deep }],
    ] as const)
      expect(errorOf(() => read({ [list]: [entry] }))).toMatchObject({
        message: `The file, ${list}.0: it is nested more than 32 levels deep.`,
      });
  });
});

describe("a fixtures file", () => {
  it.each([
    ["that is not there", undefined, / cannot be read: it does not exist\.$/],
    ["that is a list", "[]", /: it must be a JSON object\.$/],
    ["that is not JSON", '{\n  "payins": [,]', / is not JSON: error in line 2, column 14\.$/],
  ])("%s is refused by its name", async (_what, text, wrong) => {
    await using folder = await createFolder();
    const name = folder.at("wrong.json");
    if (text !== undefined) await writeFile(name, text);
    const error: unknown = await readFixtureFile(name).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FixtureError);
    const { message } = error as Error;
    expect(message.startsWith(`The fixtures file ${name}`)).toBe(true);
    expect(message).toMatch(wrong);
  });
});
