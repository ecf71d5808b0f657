import path from "node:path";
import { describe, expect, it } from "vitest";
import { UnusableOptionError } from "../../../src/server/options/errors.ts";
import { isFile, labelOf, placeOf, wrongAddress } from "../../../src/server/options/state-kinds.ts";
import { validateOptions } from "../../../src/server/options/validate-options.ts";
import { wordsOf } from "../../support/words.ts";
import { translate } from "../../../src/text/languages.ts";

describe("a state", () => {
  it.each(["state.json", "/tmp/state.json", "C:\\state.json", "C://state.json", "a@b.json"])(
    "%s is a file, shown as it is",
    (state) => {
      expect(isFile(state)).toBe(true);
      expect(labelOf(state)).toBe(state);
      expect(placeOf(state, "/shop")).toBe(path.resolve("/shop", state));
      expect(wrongAddress(state)).toBeUndefined();
    },
  );

  it.each(["postgres", "postgresql", "POSTGRES"])("%s:// is a database", (scheme) => {
    const state = `${scheme}://maria:s3cret@db/shop?sandbox=team`;
    expect(isFile(state)).toBe(false);
    expect(wrongAddress(state)).toBeUndefined();
    expect(labelOf(state)).toBe(`${scheme.toLowerCase()}://maria:***@db/shop?sandbox=team`);
    expect(placeOf(state, "/shop")).toBe(labelOf(state));
  });

  it.each([
    "postgre://maria:s3cret@db/shop",
    "mysql://maria:s3cret@db",
    "postgres://maria:s3cret@db",
  ])("%s is refused without its password", (state) => {
    expect(isFile(state)).toBe(false);
    expect(wordsOf(wrongAddress(state))).not.toContain("s3cret");
    let error: unknown;
    try {
      validateOptions({ stateFile: state });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(UnusableOptionError);
    const { message, text } = error as UnusableOptionError;
    expect(message).toMatch(/^The option stateFile: /);
    expect(message + translate(text, "pt")).not.toContain("s3cret");
  });
});
