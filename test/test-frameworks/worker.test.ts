import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { currentTest, writeTrace } from "../../src/test-frameworks/worker.ts";
import { createFolder } from "../support/folder.ts";

const nameIn = (testPath: string, currentTestName = "pays"): string =>
  currentTest({ testPath: path.resolve(testPath), currentTestName }) ?? "";

describe("the trace of a failed test", () => {
  it("is a file of its own, which its next attempt replaces", async () => {
    await using folder = await createFolder();
    const tests = [
      ...["a/shop.test.js", "b/shop.test.js"].map((file) => nameIn(file)),
      ...["x same", "x > same", "💸", "🔥", "..", "支".repeat(400), `${"支".repeat(400)}!`].map(
        (name) => nameIn("shop.test.js", name),
      ),
    ];
    for (const attempt of [1, 2])
      for (const test of tests)
        await writeTrace({ trace: async () => `${attempt} ${test}` }, folder.path, test);
    const files = await readdir(folder.path);
    const texts = await Promise.all(files.map((file) => readFile(folder.at(file), "utf8")));
    expect(texts.toSorted()).toEqual(tests.map((test) => `2 ${test}`).toSorted());
    expect(files).toContainEqual(expect.stringMatching(/^a-shop-test-js-pays-\w{8}\.trace\.html$/));
  });
});
