import { shellWord } from "../../core/shell-word.ts";
import { usageError } from "../errors.ts";
import { localize } from "../language.ts";

/** A shell command, ready to run. */
export interface Script {
  readonly text: string;
  /** The values of the record's members: the shell never parses them. */
  readonly variables: Readonly<Record<string, string>>;
  /** The same command for a person to copy. */
  readonly shown: string;
}

/** A member in braces, as in `{description}`. In doubled braces it is no placeholder, and neither is `${NAME}`. */
const PLACEHOLDER = /(?<!\$)\{(\{?)([a-z][a-z0-9_]*)\}(\}?)/g;
/** Text that has no meaning to a shell, quoted or not. */
const PLAIN = /^[\w.:@%+,/][\w.:@%+,/-]*$/;

/**
 * Puts a record's members into a command template. A member's value comes from outside, so it never becomes part of
 * the command's text: it is passed in a variable, and a wrong guess at the quoting around it cannot make it code.
 * @throws CliError if the record lacks a member, or a value cannot be passed.
 */
export function resolveTemplate(
  template: string,
  record: Readonly<Record<string, unknown>>,
): Script {
  const values = new Map<string, string>();
  const replace = (valueOf: (name: string, quote: Quote) => string): string =>
    template.replace(
      PLACEHOLDER,
      (_: string, open: string, name: string, close: string, at: number) => {
        if (open && close) return `{${name}}`;
        values.set(name, readMember(record, name));
        return `${open}${valueOf(name, quoteAt(template, at))}${close}`;
      },
    );
  const text = replace((name, quote) => REFERENCES[quote](`\${${variable(name)}}`));
  for (const [name, value] of values) refuseOption(template, name, value);
  const entries = [...values];
  const shown = entries.every(([, value]) => PLAIN.test(value))
    ? replace((name) => values.get(name) ?? "")
    : `${entries.map(([name, value]) => `${variable(name)}=${shellWord(value)}`).join("; ")}; ${text}`;
  const variables = entries.map(([name, value]) => [variable(name), value] as const);
  return { text, variables: Object.fromEntries(variables), shown };
}

/** The quotes around a place in a command. */
type Quote = "none" | "single" | "double";

/** A variable's reference that expands to one word, by the quotes around it. */
const REFERENCES: Readonly<Record<Quote, (reference: string) => string>> = {
  none: (reference) => `"${reference}"`,
  single: (reference) => `'"${reference}"'`,
  double: (reference) => reference,
};

function quoteAt(template: string, end: number): Quote {
  let quote: Quote = "none";
  for (let index = 0; index < end; index++) {
    const character = template[index];
    if (character === "\\" && quote !== "single") index++;
    else if (character === "'" && quote !== "double")
      quote = quote === "single" ? "none" : "single";
    else if (character === '"' && quote !== "single")
      quote = quote === "double" ? "none" : "double";
  }
  return quote;
}

function variable(name: string): string {
  return `effect_${name}`;
}

function readMember(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  const isText = typeof value === "string" || typeof value === "number";
  if (isText || typeof value === "boolean") {
    const text = String(value);
    if (!text.includes("\0")) return text;
  }
  const members = Object.keys(record).filter((key) =>
    /^(?:string|number|boolean)$/.test(typeof record[key]),
  );
  throw usageError(
    localize({
      en: `The effect's placeholder {${name}} has no value in ${idOf(record)}.`,
      pt: `O marcador {${name}} do efeito não tem valor em ${idOf(record)}.`,
    }),
    localize({
      en: `Use one of ${members.join(", ")}. Write {{${name}}} for the braces themselves.`,
      pt: `Use um destes: ${members.join(", ")}. Escreva {{${name}}} para as próprias chaves.`,
    }),
  );
}

function idOf({ id }: Readonly<Record<string, unknown>>): string {
  return typeof id === "string" ? id : localize({ en: "the record", pt: "o registro" });
}

/** A program would read a word that starts with a hyphen as an option. */
function refuseOption(template: string, name: string, value: string): void {
  const startsWord = new RegExp(String.raw`(?:^|[\s"'])\{${name}\}`).test(template);
  if (!value.startsWith("-") || !startsWord) return;
  throw usageError(
    localize({
      en: `The value of {${name}} starts with "-": the effect's command would read it as an option.`,
      pt: `O valor de {${name}} começa com "-": o comando do efeito o leria como uma opção.`,
    }),
    localize({
      en: `Put something before it, such as order={${name}}, or use {id}.`,
      pt: `Coloque algo antes dele, como pedido={${name}}, ou use {id}.`,
    }),
  );
}
