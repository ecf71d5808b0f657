import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  isMessage,
  joined,
  listed,
  type Message,
  plural,
  rounded,
  say,
  verbatim,
} from "../../src/text/message.ts";
import {
  catalogues,
  english,
  LANGUAGE_NAMES,
  LANGUAGES,
  toReais,
  translate,
} from "../../src/text/languages.ts";
import portuguese from "../../src/text/pt-BR/index.ts";

beforeAll(() => {
  catalogues.pt = {
    "{0} did not exit within {1} s.": "{0} não terminou em {1} s.",
    "{0} did it": "Foi {0}; {0}, sim",
    "{0} is {1}": "{1}: {0}",
    "a {b} {0}": "{0} {b} um",
    Next: "Próximo",
    "pane|Next": "A seguir",
    "{0} webhook": "{0} notificação",
    "{0} webhooks": "{0} notificações",
    "{0} and {1}": "{0} e {1}",
    "the port": "a porta",
  };
});
afterAll(() => void (catalogues.pt = portuguese));
const inPortuguese = (message: Message) => translate(message, "pt");

describe("a message", () => {
  it("is its English template with its values, where no catalogue has it", () => {
    expect(english(say`${"npm"} did not exit within ${5} s.`)).toBe("npm did not exit within 5 s.");
  });

  it.each<[Message, string]>([
    [say`${"npm"} did not exit within ${5} s.`, "npm não terminou em 5 s."],
    [say`${"A"} did it`, "Foi A; A, sim"],
    [say`${"A"} is ${"B"}`, "B: A"],
    [say`toString`, "toString"],
    [say`a {b} ${"{0}"}`, "{0} {b} um"],
    [say`${say`the port`} is ${7}`, "7: a porta"],
    [say`Next`, "Próximo"],
    [say.for("pane")`Next`, "A seguir"],
    [verbatim("the port {0}"), "the port {0}"],
  ])("has the words of a language: %j", (message, text) => {
    expect(inPortuguese(message)).toBe(text);
  });

  it.each([
    [0, "0 webhooks", "0 notificações"],
    [1, "1 webhook", "1 notificação"],
    [2, "2 webhooks", "2 notificações"],
  ])("counts %i", (count, inEnglish, inOther) => {
    const message = plural(count, say`${count} webhook`, say`${count} webhooks`);
    expect([english(message), inPortuguese(message)]).toEqual([inEnglish, inOther]);
  });

  it("writes numbers as the language does", () => {
    const message = say`${0.5} ${rounded(2, 1)} ${rounded(12_345.678, 2)}`;
    expect(english(message)).toBe("0.5 2.0 12345.68");
    expect(inPortuguese(message)).toBe("0,5 2,0 12345,68");
    expect(inPortuguese(say`${1e21}`)).toBe("1e+21");
  });

  it("joins and lists others", () => {
    expect(inPortuguese(joined([say`Next`, "b"]))).toBe("Próximo b");
    expect(inPortuguese(joined(["a", "b"], "{}"))).toBe("a{}b");
    expect(
      [[], ["a"], ["a", "b"], ["a", "b", "c"]].map((list) => inPortuguese(listed(list))),
    ).toEqual(["", "a", "a e b", "a, b e c"]);
    expect(english(listed(["a", "b", "c"], "or"))).toBe("a, b or c");
  });

  it("is told from other values", () => {
    expect([say`a`, plural(1, say`a`, say`b`)].map(isMessage)).toEqual([true, true]);
    expect(["a", null, undefined, {}, { text: "a" }].some(isMessage)).toBe(false);
  });
});

describe.each(LANGUAGE_NAMES)("an amount in the language %s", (language) => {
  const witness = new Intl.NumberFormat(LANGUAGES[language].tag, {
    style: "currency",
    currency: "BRL",
  });

  it.each([0, 0.01, 0.1, 1, 12.5, 999.99, 1_000, 12_345.67, 100_000, 9_999_999.99, -3, -1_234.5])(
    "is written as Intl writes it: %d",
    (value) => expect(toReais(value, language)).toBe(witness.format(value)),
  );
});
