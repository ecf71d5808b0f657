import { describe, expect, it } from "vitest";
import { toCurl } from "../../../src/cli/export/curl.ts";
import { makeStory } from "../../../src/cli/export/make-story.ts";
import { toScenario } from "../../../src/cli/export/scenario.ts";
import { callOf, type Step, type Story, Variable } from "../../../src/cli/export/story.ts";
import { HISTORIES } from "./histories.ts";
import { inWords } from "../../support/words.ts";
import { english, translate } from "../../../src/text/languages.ts";

describe("the story of a history", () => {
  it("is the calls that repeat it, each with what it does in both languages", async () => {
    const told = Object.entries(HISTORIES).map(([title, { history, only }]) =>
      [`# ${title}`, ...linesOf(makeStory(history, only))].join("\n"),
    );
    await expect(`${told.join("\n\n")}\n`).toMatchFileSnapshot("stories.txt");
  });

  it("is empty without transactions and calls", () => {
    const empty = { payins: [], payouts: [], deliveries: [], requests: [], assumptions: new Map() };
    expect(makeStory(empty)).toEqual({
      about: inWords({
        en: "What happened in a sandbox: payins: 0, payouts: 0.",
        pt: "O que aconteceu em um sandbox: payins: 0, payouts: 0.",
      }),
      notes: [],
      integrations: 0,
      steps: [],
    });
  });
});

describe("the formats of an export", () => {
  const stories = [
    "simulations, a fault and lost responses",
    "records without requests",
    "webhooks that cannot be known",
  ].map((title) => {
    const { history } = HISTORIES[title] ?? fail(title);
    return makeStory(history);
  });

  it("are a scenario", async () => {
    await expect(`${stories.map(toScenario).join("\n\n")}\n`).toMatchFileSnapshot("scenarios.txt");
  });

  it("are a script with comments", async () => {
    await expect(`${stories.map(toCurl).join("\n\n")}\n`).toMatchFileSnapshot("scripts.txt");
  });
});

function fail(title: string): never {
  throw new Error(`There is no history "${title}".`);
}

function linesOf({ about, notes, integrations, steps }: Story): readonly string[] {
  return [
    ...[about, ...notes].flatMap((text) => [english(text), translate(text, "pt")]),
    `Integrations: ${integrations}`,
    ...steps.flatMap((step) => [
      "",
      `${step.integration}: ${english(step.says)} / ${translate(step.says, "pt")}`,
      lineOf(step),
    ]),
  ];
}

/** The call of a step, with `$name` in place of each variable. */
function lineOf(step: Step): string {
  const { method, path, isGateway, body, key, fault, expected, as } = callOf(step);
  const route = path.map((part) => (part instanceof Variable ? `$${part.name}` : part)).join("");
  return [
    isGateway ? "  gateway" : "  control",
    method,
    route,
    ...(key === undefined ? [] : [`key=${key}`]),
    ...(fault === undefined ? [] : [`fault=${fault}`]),
    ...(body === undefined ? [] : [toText(body)]),
    "→",
    toText(expected),
    ...(as ? [`as $${as.name}`] : []),
  ].join(" ");
}

function toText(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    each instanceof Variable ? `$${each.name}` : each,
  );
}
