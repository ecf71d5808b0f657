import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deviationIds } from "./deviations.ts";
import { OBSERVABLE, ROWS, rowNames, type Row } from "./rows.ts";
import { drawVariant, startVariant } from "./start-variant.ts";

describe("the seeds", () => {
  const drawn = Array.from({ length: 1000 }, (_, seed) => drawVariant(seed));
  const deviations = drawn.map(({ deviations: ids }) => ids);

  it("draw every choice within 200 variants", () => {
    const choices = drawn
      .slice(0, 200)
      .flatMap(({ choices: of }) => rowNames.map((row) => `${row}=${of[row]}`));
    const all = rowNames.flatMap((row) => ROWS[row].map((choice) => `${row}=${choice}`));
    expect(new Set(choices)).toEqual(new Set(all));
  });

  it("draw every deviation, up to three of different areas", () => {
    expect(new Set(deviations.flat())).toEqual(new Set(deviationIds));
    expect(new Set(deviations.map(({ length }) => length))).toEqual(new Set([0, 1, 2, 3]));
    const areas = deviations.map((ids) => new Set(ids.map((id) => id.split(".")[0])).size);
    expect(areas).toEqual(deviations.map(({ length }) => length));
  });

  it("draw the same again", async () => {
    await using variant = await startVariant(7);
    expect(variant.choices).toEqual(drawn[7]?.choices);
    expect(variant.deviations.map(({ id }) => id)).toEqual(drawn[7]?.deviations);
  });
});

describe("the tables", () => {
  it("have the names of the documentation", () => {
    const docs = readFileSync(new URL("../../docs/assumptions.md", import.meta.url), "utf8");
    const documented = [...docs.matchAll(/^\| `([\w.]+)` \| .* \| (.*) \| (.*) \|$/gm)];
    expect(documented.map(([, name]) => name)).toEqual(rowNames);
    for (const [, name = "", standard = "", others = ""] of documented) {
      const words = `${standard}<br>${others}`.matchAll(/(?:^|<br>)`([a-z\d_]+)(:<seconds>)?`:/g);
      const named = [...words].map(([, choice]) => choice);
      const drawn: string[] = ROWS[name as Row].map((choice) => choice.split(":")[0] ?? choice);
      const [first = ""] = drawn;
      const isFree = /^\d+$/.test(first) && named[0] === first;
      const hasOne = others === "–" && first === "only";
      const expected = hasOne ? ["only"] : isFree ? drawn : named;
      expect([name, new Set(drawn)]).toEqual([name, new Set(expected)]);
    }
  });

  it("say of every row whether a client can observe it", () => {
    expect(Object.keys(OBSERVABLE).toSorted()).toEqual(rowNames.toSorted());
  });

  it("share no code with the source", () => {
    const folder = new URL("./", import.meta.url);
    const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
    expect(texts.filter((text) => /(?:from|import) *\(?"[^"]*\/src\//.test(text))).toEqual([]);
  });
});
