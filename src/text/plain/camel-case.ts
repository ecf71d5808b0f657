/** The API's name for a wire name: `buyer_cpf` becomes `buyerCpf`. */
export type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** A route's response with the API's names; values are unchanged. */
export type InCamelCase<Value> = Value extends readonly (infer Item)[]
  ? readonly InCamelCase<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value as CamelCase<Name>]: InCamelCase<Value[Name]> }
    : Value;

/** The defined members with their wire names; names inside a member's value are unchanged. */
export function toWireNames(members: object): Record<string, unknown> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  const toWireName = (name: string): string =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(defined.map(([name, value]) => [toWireName(name), value]));
}

/** Renames all members of a value, at every level, to the API's names. */
export function toCamelCase<Value>(value: Value): InCamelCase<Value> {
  return renamed(value) as InCamelCase<Value>;
}

/** Members whose content has names of other systems, which stay as they are. */
const FOREIGN_NAMES = new Set(["headers", "response_headers", "match", "choices"]);

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    FOREIGN_NAMES.has(name) ? member : renamed(member),
  ]);
  return Object.fromEntries(members);
}
