/**
 * A text for people, before anyone has chosen a language: an English template and the values of its places. The edge
 * puts it into words (`translate` in languages.ts).
 */
export type Message = Sentence | Counted;

/** What can stand in a place of a template. */
export type Value = string | number | Formatted | Message;

/** A number with its own format. Plain numbers have no thousands separator and keep all decimals. */
export interface Formatted {
  readonly number: number;
  readonly format: Intl.NumberFormatOptions;
}

export interface Sentence {
  /** English, with numbered places: `{0} did not exit within {1} s.` Braces of the text itself are doubled. */
  readonly template: string;
  readonly values: readonly Value[];
  /** Tells one meaning of the template from another, where a language has a text for each. */
  readonly context?: string;
  /** The text in other languages, where a file contains it in several: by the language's name. */
  readonly translations?: Catalogue;
}

/** A text whose noun follows a number, by the plural rules of the language. */
export interface Counted {
  readonly count: number;
  readonly one: Sentence;
  readonly other: Sentence;
}

/** What a language contributes: its rules, and its texts by the key of the English template. */
export interface Words {
  /** The name of the language. */
  readonly language: string;
  readonly number: (value: number, format?: Intl.NumberFormatOptions) => string;
  readonly plural: (count: number) => Intl.LDMLPluralRule;
  readonly catalogue: Catalogue;
}

/** A text, or one for each form of the language's plural where two are not enough. */
export type Catalogue = Readonly<Record<string, string | PluralForms>>;
type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & {
  readonly other: string;
};

/** Says a text in English: `` say`Port ${port} is in use.` `` Other languages have it in their catalogues. */
export function say(strings: TemplateStringsArray, ...values: readonly Value[]): Sentence {
  return { template: templateOf(strings), values };
}

/** The same for a text with more than one translation: `` say.for("pane")`Next` ``. */
say.for =
  (context: string) =>
  (strings: TemplateStringsArray, ...values: readonly Value[]): Sentence => ({
    template: templateOf(strings),
    values,
    context,
  });

/** The same with its translations, by the names of their languages: the page's build writes them beside the text. */
say.in =
  (translations: Catalogue) =>
  (strings: TemplateStringsArray, ...values: readonly Value[]): Sentence => ({
    template: templateOf(strings),
    values,
    translations,
  });

/** One text for the count 1, another one for the other counts. */
export function plural(count: number, one: Sentence, other: Sentence): Counted {
  return { count, one, other };
}

/** A text that is the same in each language, such as an id or the message of the operating system. */
export function verbatim(text: string): Sentence {
  return { template: "{0}", values: [text] };
}

/** Several texts, one after the other. */
export function joined(parts: readonly Value[], separator = " "): Sentence {
  const template = parts.map((_, index) => `{${index}}`).join(escaped(separator));
  return { template, values: parts };
}

/** "a", "a and b", "a, b and c"; the same with "or". */
export function listed(parts: readonly Value[], word: "and" | "or" = "and"): Message {
  const last = parts.at(-1);
  if (last === undefined || parts.length === 1) return joined(parts);
  const first = joined(parts.slice(0, -1), ", ");
  return word === "and" ? say`${first} and ${last}` : say`${first} or ${last}`;
}

/** A number with so many decimals: 0.5 */
export function rounded(value: number, decimals: number): Formatted {
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return { number: value, format: { ...format, useGrouping: false } };
}

/** A duration in seconds, with more decimals if it is short. */
export function inSeconds(ms: number): Formatted {
  return rounded(ms / 1000, ms < 100 ? 3 : 1);
}

export function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && ("template" in value || "count" in value);
}

/** The key of a text in the catalogues. */
function keyOf({ template, context }: Pick<Sentence, "template" | "context">): string {
  return context === undefined ? template : `${context}|${template}`;
}

/** Puts a message into the words of a language; a text that the catalogue lacks stays English. */
export function putIntoWords(message: Message, words: Words): string {
  if (!("count" in message)) return fill(message, entryOf(message, words), words);
  const { count, one, other } = message;
  const form = words.plural(count);
  const sentence = form === "one" ? one : other;
  const found = entryOf(sentence, words);
  return fill(sentence, typeof found === "object" ? (found[form] ?? found.other) : found, words);
}

/** Its own translations come first. Of the catalogue its own entries only: a file's text may be "toString". */
function entryOf(
  sentence: Sentence,
  { language, catalogue }: Words,
): Catalogue[string] | undefined {
  const own = sentence.translations?.[language];
  if (own !== undefined) return own;
  const key = keyOf(sentence);
  return Object.hasOwn(catalogue, key) ? catalogue[key] : undefined;
}

/** Doubled braces, and places. `{0!}` in a translation marks a value that it leaves out. */
const MARKS = /\{\{|\}\}|\{(\d+)(!?)\}/g;

function fill(sentence: Sentence, found: Catalogue[string] | undefined, words: Words): string {
  const text = typeof found === "object" ? found.other : (found ?? sentence.template);
  if (!text.includes("{") && !text.includes("}")) return text;
  return text.replace(MARKS, (mark, place?: string, omitted?: string) => {
    if (place === undefined) return mark.charAt(0);
    if (omitted) return "";
    const value = sentence.values[Number(place)];
    if (typeof value === "number") return words.number(value);
    if (typeof value !== "object") return value ?? "";
    return "number" in value
      ? words.number(value.number, value.format)
      : putIntoWords(value, words);
  });
}

function escaped(text: string): string {
  return text.replace(/[{}]/g, "$&$&");
}

/** Cached by the strings array: each `say` in the source has its own. */
const templates = new WeakMap<TemplateStringsArray, string>();

function templateOf(strings: TemplateStringsArray): string {
  let template = templates.get(strings);
  if (template === undefined) {
    template = strings
      .map((text, index) => (index === 0 ? "" : `{${index - 1}}`) + escaped(text))
      .join("");
    templates.set(strings, template);
  }
  return template;
}
