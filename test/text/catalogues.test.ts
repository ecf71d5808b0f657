import { describe, expect, it } from "vitest";
import { LANGUAGE_NAMES, LANGUAGES } from "../../src/text/languages.ts";
import { allCatalogues, allTexts, compare } from "../support/texts.ts";

const texts = allTexts();
const catalogues = allCatalogues();

describe("the catalogues", () => {
  it("are those of every language but English", () => {
    expect(texts.length).toBeGreaterThan(1000);
    const tags = LANGUAGE_NAMES.map((name): string => LANGUAGES[name].tag);
    const named = tags.filter((tag) => tag !== "en");
    expect([...catalogues.keys()].toSorted()).toEqual(named.toSorted());
  });

  it.each([...catalogues])("of %s have each text of the source once, and no other", (_, rooms) => {
    expect(compare(texts, rooms)).toEqual([]);
  });

  it.each([...catalogues])("of %s leave no sentence in English", (_, rooms) => {
    const left = Object.values(rooms).flatMap((entries) =>
      Object.entries(entries).filter(([key, text]) => key === text && isSentence(key)),
    );
    expect(left.map(([key]) => key)).toEqual([]);
  });
});

/** Whether a text has words beside code and values. */
function isSentence(text: string): boolean {
  return text !== "Use true." && /[a-z]{3,} [a-z]{3,}/i.test(text.replace(/`[^`]*`|\{\d+\}/g, ""));
}

describe("the comparison of texts with catalogues", () => {
  const text = (key: string) => ({ file: "src/http/a.ts", room: "http", key, template: key });
  const KEY = "Port {0} of {1}";
  it.each<[Record<string, Record<string, string>>, string]>([
    [{ http: { [KEY]: "Porta {1} de {0}: {1}" } }, ""],
    [{}, "http lacks a text of src/http/a.ts: Port {0} of {1}"],
    [
      { http: { [KEY]: "Porta {0} de {1}", Port: "Porta" } },
      "http translates what no source says: Port",
    ],
    [{ http: { [KEY]: "{0} de {2}" } }, "http has other places than the source: Port {0} of {1}"],
    [{ http: { [KEY]: "Porta {0}" } }, "http has other places than the source: Port {0} of {1}"],
    [
      { cli: { [KEY]: "{0} de {1}" }, http: { [KEY]: "{0} / {1}" } },
      "http and cli translate it differently: Port {0} of {1}",
    ],
  ])("of %j finds: %s", (rooms, problem) => {
    expect(compare([text(KEY)], rooms)).toEqual(problem === "" ? [] : [problem]);
  });
});
