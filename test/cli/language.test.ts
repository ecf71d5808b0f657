import { afterEach, describe, expect, it } from "vitest";
import {
  inLanguage,
  languageOf,
  localize,
  setLanguage,
  textOf,
} from "../../src/cli/terminal/language.ts";
import { LocalizedError } from "../../src/core/records/errors.ts";
import { say } from "../../src/text/message.ts";

const TEXT = say`The command is missing.`;
const PORTUGUESE = "Falta o comando.";

afterEach(() => setLanguage("en"));

describe("the language", () => {
  it("selects the words of a message", () => {
    expect(localize(TEXT)).toBe("The command is missing.");
    setLanguage("pt-BR");
    expect(localize(TEXT)).toBe(PORTUGUESE);
    expect(inLanguage("en", () => localize(TEXT))).toBe("The command is missing.");
    expect(localize(TEXT)).toBe(PORTUGUESE);
  });

  it("is restored after an error in another one", () => {
    const fail = (): never => {
      throw new Error("failed");
    };
    expect(() => inLanguage("pt-BR", fail)).toThrow("failed");
    expect(localize(TEXT)).toBe("The command is missing.");
  });

  it("selects the message of an error", () => {
    setLanguage("pt-BR");
    expect(textOf(new LocalizedError(TEXT))).toBe(PORTUGUESE);
    expect(textOf(new Error("Something else."))).toBe("Something else.");
  });

  it.each<[string[], Record<string, string>, string]>([
    [[], {}, "en"],
    [["--lang", "pt-BR"], { LANG: "en_US" }, "pt-BR"],
    [["--lang=pt-BR", "--lang", "en"], {}, "en"],
    [["--lang", "pt"], { LANG: "en_US" }, "pt-BR"],
    [[], { PIX_SANDBOX_LANG: "pt", LC_ALL: "en_US" }, "pt-BR"],
    [[], { PIX_SANDBOX_LANG: "pt-BR", LC_ALL: "en_US" }, "pt-BR"],
    [[], { LC_ALL: "", LC_MESSAGES: "pt_BR.UTF-8", LANG: "en_US" }, "pt-BR"],
    [[], { LANG: "pt_PT@euro" }, "pt-BR"],
    [[], { LANG: "ptx" }, "en"],
  ])("of %j with %j is %s", (args, env, language) => {
    expect(languageOf(args, env)).toBe(language);
  });
});
