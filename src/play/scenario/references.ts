import { say } from "../../text/message.ts";

/**
 * `{{charge.id}}`: a name that an earlier step defined, and the path to a member of its value. `{{"{{"}}`: two braces
 * that begin no reference.
 */
const REFERENCE = /\{\{\s*(?:"\{\{"|([A-Za-z]\w*)((?:\.\w+)*))\s*\}\}/g;

/** An expectation that any value but null meets. */
export const ANYTHING = "{{any}}";

/** The found value of a lost response. */
export const LOST = say`none: the connection died`;

/** The names that a value refers to, at any depth. */
export function referencesIn(value: unknown): string[] {
  return textsIn(value).flatMap((text) =>
    [...text.matchAll(REFERENCE)].flatMap(([, name]) => name ?? []),
  );
}

/** Whether a value contains an invalid `{{any}}`: in a request, or in a part of an expected text. */
export function hasStrayAny(value: unknown, isExpected: boolean): boolean {
  return textsIn(value).some(
    (text) => referencesIn(text).includes("any") && !(isExpected && isAnything(text)),
  );
}

function isAnything(text: string): boolean {
  return /^\{\{\s*any\s*\}\}$/.test(text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Returns the value of a reference. */
type Find = (name: string, path: readonly string[]) => unknown;

/**
 * Replaces references in a value. A text that is only a reference becomes the value itself, such as a number
 * or an object.
 */
export function resolve(value: unknown, find: Find): unknown {
  if (typeof value === "string") return isAnything(value) ? ANYTHING : resolveText(value, find);
  if (Array.isArray(value)) return value.map((each: unknown) => resolve(each, find));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, each]: [string, unknown]) => [member, resolve(each, find)]),
  );
}

function resolveText(text: string, find: Find): unknown {
  const [whole] = text.matchAll(REFERENCE);
  const look = (name: string, path = ""): unknown => find(name, path.split(".").slice(1));
  if (whole?.[0] === text && whole[1] !== undefined) return look(whole[1], whole[2]);
  return text.replace(REFERENCE, (_all, name?: string, path?: string) => {
    if (name === undefined) return "{{";
    const found = look(name, path);
    return typeof found === "string" ? found : JSON.stringify(found);
  });
}
