/**
 * A text for people, before anyone has chosen a language: an English template and the values of its places. The edge
 * puts it into words (`translate` in languages.ts).
 */
export interface Message {
  /** English, with numbered places: `{0} did not exit within {1} s.` */
  readonly template: string;
  readonly values: readonly Value[];
  /** Tells one meaning of the template from another, where a language has a text for each. */
  readonly context?: string;
  /** The text in other languages, by their names: the page's build writes them beside it, in place of catalogues. */
  readonly translations?: Readonly<Record<string, string>>;
}

/** What can stand in a place of a template. Numbers have no thousands separator. */
export type Value = string | number | Rounded | Message;

/** A number with a fixed number of decimals. */
export interface Rounded {
  readonly number: number;
  readonly decimals: number;
}

/** Says a text in English: `` say`Port ${port} is in use.` `` Other languages have it in their catalogues. */
export function say(strings: TemplateStringsArray, ...values: readonly Value[]): Message {
  return { template: templateOf(strings), values };
}

/** The same for a text with more than one translation: `` say.for("pane")`Next` ``. */
say.for =
  (context: string) =>
  (strings: TemplateStringsArray, ...values: readonly Value[]): Message => ({
    template: templateOf(strings),
    values,
    context,
  });

function templateOf(strings: readonly string[]): string {
  return strings.reduce((text, part, index) => `${text}{${index - 1}}${part}`);
}

/** One text for the count 1, another one for the other counts: the rule of every language here. */
export function plural(count: number, one: Message, other: Message): Message {
  return count === 1 ? one : other;
}

/** A text that is the same in each language, such as an id or the message of the operating system. */
export function verbatim(text: string): Message {
  return { template: "{0}", values: [text] };
}

/** Several texts, one after the other. */
export function joined(parts: readonly Value[], separator = " "): Message {
  return { template: parts.map((_, index) => `{${index}}`).join(separator), values: parts };
}

/** "a", "a and b", "a, b and c"; the same with "or". */
export function listed(parts: readonly Value[], word: "and" | "or" = "and"): Message {
  const last = parts.at(-1);
  if (last === undefined || parts.length === 1) return joined(parts);
  const first = joined(parts.slice(0, -1), ", ");
  return word === "and" ? say`${first} and ${last}` : say`${first} or ${last}`;
}

/** A number with so many decimals: 0.5 */
export function rounded(number: number, decimals: number): Rounded {
  return { number, decimals };
}

/** A duration in seconds, with more decimals if it is short. */
export function inSeconds(ms: number): Rounded {
  return rounded(ms / 1000, ms < 100 ? 3 : 1);
}

export function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "template" in value;
}
