import { type Template, Variable } from "./story.ts";

/** Characters that are not printed. JSON.stringify itself escapes lone halves of surrogate pairs. */
const UNSAFE =
  /[\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\uffff]/g;

/** The JSON text of a value on one line, with such characters escaped. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSAFE, escape);
}

/**
 * The JSON text of a template.
 * @param variable writes the JSON text of a variable
 * @param literal changes the JSON text between variables
 */
export function templateJson(
  value: Template,
  variable: (variable: Variable) => string,
  literal: (json: string) => string = (json) => json,
): string {
  const write = (part: Template): string => {
    if (part instanceof Variable) return variable(part);
    if (typeof part !== "object" || part === null) return literal(toJson(part));
    if (Array.isArray(part))
      return `${literal("[")}${(part as Template[]).map(write).join(literal(","))}${literal("]")}`;
    const members = Object.entries(part as Record<string, Template>).map(
      ([name, each]) => `${literal(`${toJson(name)}:`)}${write(each)}`,
    );
    return `${literal("{")}${members.join(literal(","))}${literal("}")}`;
  };
  return write(value);
}

/** The escape sequence of each UTF-16 unit. */
function escape(text: string): string {
  return Array.from({ length: text.length }, (_none, index) => unit(text.charCodeAt(index))).join(
    "",
  );
}

function unit(code: number): string {
  return String.raw`\u${code.toString(16).padStart(4, "0")}`;
}
