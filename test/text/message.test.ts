import { describe, expect, it } from "vitest";
import {
  type Catalogue,
  isMessage,
  joined,
  listed,
  type Message,
  plural,
  putIntoWords,
  rounded,
  say,
  verbatim,
} from "../../src/text/message.ts";

const inLanguage = (tag: string, catalogue: Catalogue) => (message: Message) =>
  putIntoWords(message, {
    language: tag,
    catalogue,
    number: (value, format) => new Intl.NumberFormat(tag, format).format(value),
    plural: (count) => new Intl.PluralRules(tag).select(count),
  });
const inEnglish = inLanguage("en", {});
const inPortuguese = inLanguage("pt-PT", {
  "{0} did not exit within {1} s.": "{0} não terminou em {1} s.",
  "{0} did it": "Foi {0}; {0}, sim",
  "{0} is {1}": "{1}: {0}",
  "{0} without {1}": "só {0}{1!}",
  "a {{b}} {0}": "{0} {{b}} um",
  Next: "Próximo",
  "pane|Next": "A seguir",
  "{0} webhook": "{0} notificação",
  "{0} webhooks": "{0} notificações",
  "{0} passed": { one: "{0} aprovada", other: "{0} aprovadas" },
  "{0} and {1}": "{0} e {1}",
  "the port": "a porta",
});

describe("a message", () => {
  it("is its English template with its values, where no catalogue has it", () => {
    expect(inEnglish(say`${"npm"} did not exit within ${5} s.`)).toBe(
      "npm did not exit within 5 s.",
    );
  });

  it.each<[Message, string]>([
    [say`${"npm"} did not exit within ${5} s.`, "npm não terminou em 5 s."],
    [say`${"A"} did it`, "Foi A; A, sim"],
    [say`${"A"} is ${"B"}`, "B: A"],
    [say`${"A"} without ${"B"}`, "só A"],
    [say`a {b} ${"{0}"}`, "{0} {b} um"],
    [say`${say`the port`} is ${7}`, "7: a porta"],
    [say`Next`, "Próximo"],
    [say.for("pane")`Next`, "A seguir"],
    [verbatim("the port {0}"), "the port {0}"],
  ])("has the words of a language: %j", (message, text) => {
    expect(inPortuguese(message)).toBe(text);
  });

  it.each([
    [0, "0 webhooks", "0 notificações", "0 aprovadas"],
    [1, "1 webhook", "1 notificação", "1 aprovada"],
    [2, "2 webhooks", "2 notificações", "2 aprovadas"],
  ])("counts %i by the rules of the language", (count, english, portuguese, passed) => {
    const message = plural(count, say`${count} webhook`, say`${count} webhooks`);
    expect(inEnglish(message)).toBe(english);
    expect(inPortuguese(message)).toBe(portuguese);
    const same = plural(count, say`${count} passed`, say`${count} passed`);
    expect(inPortuguese(same)).toBe(passed);
  });

  it("has as many forms as the language's plural", () => {
    const inPolish = inLanguage("pl", {
      "{0} files": { few: "{0} pliki", many: "{0} plików", other: "{0} pliku" },
      "{0} file": "{0} plik",
    });
    const words = [1, 2, 5, 0.5].map((count) =>
      inPolish(plural(count, say`${count} file`, say`${count} files`)),
    );
    expect(words).toEqual(["1 plik", "2 pliki", "5 plików", "0,5 pliku"]);
  });

  it("writes numbers as the language does", () => {
    const message = say`${0.5} ${rounded(2, 1)} ${rounded(12_345.678, 2)}`;
    expect(inEnglish(message)).toBe("0.5 2.0 12345.68");
    expect(inLanguage("pt-BR", {})(message)).toBe("0,5 2,0 12345,68");
  });

  it("joins and lists others", () => {
    expect(inPortuguese(joined([say`Next`, "b"]))).toBe("Próximo b");
    expect(inPortuguese(joined(["a", "b"], "{}"))).toBe("a{}b");
    expect(
      [[], ["a"], ["a", "b"], ["a", "b", "c"]].map((list) => inPortuguese(listed(list))),
    ).toEqual(["", "a", "a e b", "a, b e c"]);
    expect(inEnglish(listed(["a", "b", "c"], "or"))).toBe("a, b or c");
  });

  it("is told from other values", () => {
    expect([say`a`, plural(1, say`a`, say`b`)].map(isMessage)).toEqual([true, true]);
    expect(["a", null, undefined, {}, { text: "a" }].some(isMessage)).toBe(false);
  });
});
