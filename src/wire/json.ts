import { type Message, say } from "../text/message.ts";

/** A JSON object with the wire's snake_case names. */
export type WireObject = Readonly<Record<string, unknown>>;

export const MAX_JSON_LEVELS = 32;

/** Whether a JSON value is nested more deeply than `levels`: JSON of 10 kB can be, 5,000 levels deep. */
export function isTooDeep(value: unknown, levels: number = MAX_JSON_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1));
}

/** Whether two JSON texts have the same value. The order of members does not matter. */
export function isSameJson(one: string, other: string): boolean {
  return one === other || toCanonicalText(JSON.parse(one)) === toCanonicalText(JSON.parse(other));
}

/** A JSON value as text that does not depend on the order of members. */
export function toCanonicalText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toCanonicalText).join(",")}]`;
  const members = value as Record<string, unknown>;
  const names = Object.keys(members).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${toCanonicalText(members[name])}`).join(",")}}`;
}

/** Where a text stops being JSON. The messages of `JSON.parse` often do not say it, and quote the text. */
export function jsonError(text: string): Message {
  const before = text.slice(0, jsonErrorAt(text)).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return say`error in line ${before.length}, column ${column}`;
}

const BLANKS = /[\t\n\r ]*/y;
/** A punctuation mark, a string, a number or a word of JSON. */
const TOKEN =
  // oxlint-disable-next-line no-control-regex -- a string of JSON contains no control characters
  /[[\]{},:]|"[^"\\\0-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\0-\u001f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The tokens that may come next, each by its first character; numbers and words by `0`. */
const VALUE = '{["0';
const NAME = '"';
const FIRST_NAME = '"}';

/** The offset of the first token that JSON does not allow there. Without recursion: for 5,000 levels there is no stack. */
function jsonErrorAt(text: string): number {
  const open: string[] = [];
  let allowed = VALUE;
  for (let at = 0; ;) {
    BLANKS.lastIndex = at;
    at += BLANKS.exec(text)?.[0].length ?? 0;
    TOKEN.lastIndex = at;
    const [token = ""] = TOKEN.exec(text) ?? [];
    const kind = /^[[\]{},:"]/.test(token) ? token.charAt(0) : "0";
    if (token === "" || !allowed.includes(kind)) return at;
    at += token.length;
    if (kind === "{" || kind === "[") open.push(kind);
    if (kind === "}" || kind === "]") open.pop();
    const isInObject = open.at(-1) === "{";
    if (kind === "{") allowed = FIRST_NAME;
    else if (kind === "[") allowed = `${VALUE}]`;
    else if (kind === ":") allowed = VALUE;
    else if (kind === ",") allowed = isInObject ? NAME : VALUE;
    else if (allowed === NAME || (allowed === FIRST_NAME && kind === '"')) allowed = ":";
    else allowed = open.length === 0 ? "" : isInObject ? ",}" : ",]";
  }
}

/** Removes the byte order mark that some editors and shells write before a text; JSON does not allow it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
