/** A name of the wire as the programmatic API has it: `buyer_cpf` is `buyerCpf`. */
export type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** What a route answers, under the names of the programmatic API; only names differ, values are as they were sent. */
export type InCamelCase<Value> = Value extends readonly (infer Item)[]
  ? readonly InCamelCase<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value as CamelCase<Name>]: InCamelCase<Value[Name]> }
    : Value;

/** The members that are said, under their names on the wire; the names in a member are left as they are. */
export function toWireNames(members: object): Record<string, unknown> {
  const said = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said.map(([name, value]) => [toWireName(name), value]));
}

/** A value and all that is in it under the names of the programmatic API. */
export function toCamelCase<Value>(value: Value): InCamelCase<Value> {
  return renamed(value) as InCamelCase<Value>;
}

/** Whose members somebody else has named. */
const NAMED_BY_OTHERS = new Set(["headers", "response_headers", "match", "choices"]);

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    NAMED_BY_OTHERS.has(name) ? member : renamed(member),
  ]);
  return Object.fromEntries(members);
}

function toWireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
