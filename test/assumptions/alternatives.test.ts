import { CASES, PROOFS, choiceIn, choicesOf, describeChanges, filled, rowsOf } from "./choices.ts";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  type AssumptionName,
  ASSUMPTION_NAMES,
  type Assumption,
  ASSUMPTIONS,
  readChoice,
  STANDARD_ASSUMPTIONS,
  triedChoices,
} from "../../src/core/assumptions/table.ts";
import { serveMain } from "../support/main.ts";
import { createFolder } from "../support/folder.ts";
import { invalid, type Json, startWorld } from "./world.ts";
import { translate } from "../../src/text/languages.ts";
import { inWords } from "../support/words.ts";
import type { Message } from "../../src/text/message.ts";

describe("the table of assumptions", () => {
  it("has a proof for each choice of each row, and no proof has lost its choice", () => {
    expect(Object.keys(PROOFS).toSorted()).toEqual(CASES.map(({ title }) => title).toSorted());
  });
});

describe("the choices that `exec --each` tries", () => {
  it.each(ASSUMPTION_NAMES)("are all choices of %s, as a sandbox takes them", (name) => {
    const { choices, tried }: Assumption = ASSUMPTIONS[name];
    const names = Object.keys(choices);
    const given = triedChoices(name);
    expect(given).toHaveLength(names.length);
    for (const choice of given) expect(readChoice(name, choice)).toEqual({ choice });
    expect(tried !== undefined).toBe(names.some((choice) => choice.includes("<")));
  });
});

describe("a choice that a sandbox starts with", () => {
  it.each(CASES)("is in effect: $title", async ({ name, title, choice }) => {
    await using world = await startWorld({ assumptions: { [name]: choice } });

    expect(choiceIn(await world.control("GET", "/assumptions"), name)).toBe(choice);
    await PROOFS[title]?.(world);
    const isNamed = choice !== STANDARD_ASSUMPTIONS[name] && !SHAPES_NO_ANSWER.has(name);
    expect(world.named.has(`${name}=${choice}`)).toBe(isNamed);
  });
});

/** What these choose shows in a record or a webhook alone. */
const SHAPES_NO_ANSWER: ReadonlySet<AssumptionName> = new Set([
  "payin.paid_status",
  "payin.expiry_event",
  "webhook.signature",
  "webhook.success",
  "webhook.timeout_seconds",
  "webhook.retries",
]);

// test/long/assumptions.test.ts changes to every choice.
describeChanges(4);

/** The last choice of each row: an alternative, where there is one. */
const choices = ASSUMPTION_NAMES.map(
  (name) => [name, filled(name, choicesOf(name).at(-1) ?? "")] as const,
);

describe("a choice of every row at once", { timeout: 60_000 }, () => {
  const credentials = [{ api_key: "shop", api_secret: "open sesame", merchant_id: "42" }];
  const everyone = { headers: {} };
  const own = { headers: { "x-api-token": "another" } };
  const heldIn = async (url: string, who: RequestInit) =>
    rowsOf((await (await fetch(`${url}/_sandbox/assumptions`, who)).json()) as Json);

  it.each(["the flag", "the config file"])("holds by %s", async (way) => {
    await using folder = await createFolder();
    const isFlag = way === "the flag";
    const assumptions = isFlag ? {} : Object.fromEntries(choices);
    const config = JSON.stringify({ memory: true, credentials, assumptions });
    await writeFile(folder.at("pix-sandbox.config.json"), config);
    const flags = choices.flatMap(([name, choice]) => ["--assume", `${name}=${choice}`]);
    await using sandbox = await serveMain(isFlag ? flags : [], { cwd: folder.path });
    for (const who of [everyone, own]) expect(await heldIn(sandbox.url, who)).toEqual(choices);
  });

  it("is changed by a PATCH for all integrations without changes of their own", async () => {
    await using world = await startWorld({});
    await world.control("PATCH", "/assumptions", { "payout.rival": "reject" });
    await world.everyone("PATCH", "/assumptions", Object.fromEntries(choices));
    expect(rowsOf((await world.everyone("GET", "/assumptions")).body)).toEqual(choices);
    expect(await heldIn(world.url, own)).toEqual(choices);
    expect(choiceIn(await world.control("GET", "/assumptions"), "payout.rival")).toBe("reject");
  });
});

describe("choices at the control route", () => {
  it.each([
    [undefined, "en"],
    ["xx", "en"],
    ["pt", "pt"],
  ] as const)("are all listed; with x-sandbox-language %s in %s", async (requested, language) => {
    await using world = await startWorld({ assumptions: { "payout.rival": "allow" } });
    const headers = { ...(requested && { "x-sandbox-language": requested }) };
    const address = `${world.url}/_sandbox/assumptions`;
    const row = (name: AssumptionName) => ({
      name,
      gap: translate(ASSUMPTIONS[name].gap, language),
      default: STANDARD_ASSUMPTIONS[name],
      choice: name === "payout.rival" ? "allow" : STANDARD_ASSUMPTIONS[name],
      choices: Object.fromEntries(
        Object.entries<Message>(ASSUMPTIONS[name].choices).map(([choice, text]) => [
          choice,
          translate(text, language),
        ]),
      ),
    });
    const calls = [{}, { method: "PATCH", body: '{"payout.rival":"allow"}' }];
    for (const call of calls) {
      const typed = { "content-type": "application/json", ...headers };
      const { data } = (await (await fetch(address, { ...call, headers: typed })).json()) as Json;
      expect(data).toEqual(ASSUMPTION_NAMES.map(row));
    }
  });

  it("can be several in one call, numbers and truths as JSON has them", async () => {
    await using world = await startWorld({});
    const changes = {
      "webhook.timeout_seconds": 3,
      "idempotency.retention_seconds": "60",
      "payin.generate_qrcode": true,
      "email.size": 77,
    };
    const changed = await world.control("PATCH", "/assumptions", changes);
    const names = Object.keys(changes) as AssumptionName[];
    expect(names.map((name) => choiceIn(changed, name))).toEqual([3, 60, "true", "77"]);
  });

  it.each([
    ["an unknown name", { "payout.rivals": "allow" }, "payout.rivals"],
    ["an unknown choice", { "payout.rival": "forget" }, "payout.rival"],
    ["a number that is not positive", { "webhook.timeout_seconds": 0 }, "webhook.timeout_seconds"],
  ])("are refused, and none is changed, for %s", async (_title, wrong, field) => {
    await using world = await startWorld({});
    const answer = await world.control("PATCH", "/assumptions", {
      "error.status": "always_400",
      ...wrong,
    });

    expect(answer).toEqual(invalid(field));
    expect(choiceIn(await world.control("GET", "/assumptions"), "error.status")).toBe("distinct");
  });
});

describe("a choice from outside", () => {
  it.each([
    ["payin.generate_qrcode", true, "true"],
    ["payin.generate_qrcode", false, "false"],
    ["email.size", 77, "77"],
    ["webhook.timeout_seconds", "1", 1],
    ["webhook.timeout_seconds", 86_400, 86_400],
    ["rate_limit.per_minute", "0", 0],
    ["rate_limit.per_minute", 0, 0],
    ["rate_limit.per_minute", "60", 60],
    ["payout.auto", "complete_after:1", "complete_after:1"],
  ])("is read as JSON has it: %s=%j", (name, given, choice) => {
    expect(readChoice(name, given)).toEqual({ choice });
  });

  it.each(["", "payout", "payout.rivals", "PAYOUT.RIVAL", "toString", "constructor", "__proto__"])(
    "is refused for the name %j, which no row has",
    (name) => {
      const refusal = inWords({ en: expect.stringContaining(JSON.stringify(name)) as string });
      expect(readChoice(name, "allow")).toEqual({ refusal });
    },
  );

  const NO_CHOICE = ["", "0x1", "1.5", "01", "1e3", " 1", "1 ", "toString", "__proto__"];
  const NO_NUMBER = [-1, 1.5, 1e21];
  const NO_TEXT = [Number.NaN, Number.POSITIVE_INFINITY, true, null, undefined, {}, [1], ["allow"]];
  it.each([
    ["payout.rival", "cancel, reject, allow", ["forget", "ALLOW", " allow", "replay", 1]],
    ["payout.auto", "never, complete_after:<seconds>", ["complete_after", "30", 30]],
    ["payout.auto", "never, complete_after:<seconds>", ["complete_after:0", "complete_after:01"]],
    ["rate_limit.per_minute", "0, a positive integer", ["00", "none", "<requests>"]],
    ["webhook.timeout_seconds", "a positive integer", ["0", "ten", "1234567890123456", 0]],
  ])("is refused where %s takes %s: %j", (name, taken, refused) => {
    for (const choice of [...refused, ...NO_CHOICE, ...NO_NUMBER, ...NO_TEXT])
      expect(readChoice(name, choice)).toEqual({
        refusal: inWords({ en: `${name} takes ${taken}.` }),
      });
  });
});
