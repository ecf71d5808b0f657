/** The form of a stored member: the store checks what it reads from a file against it. */
export interface StoredMember {
  readonly type: "text" | "integer" | "number" | "boolean" | readonly string[];
  readonly isOptional?: boolean;
  readonly isNullable?: boolean;
}

/** The form of every member of a record. */
export type StoredForm<Row> = { readonly [Member in keyof Required<Row>]: StoredMember };

export const TEXT: StoredMember = { type: "text" };
export const INTEGER: StoredMember = { type: "integer" };
/** Epoch milliseconds. */
export const TIME: StoredMember = { type: "number" };
export const BOOLEAN: StoredMember = { type: "boolean" };

export function oneOf(values: readonly string[]): StoredMember {
  return { type: values };
}

export function optional(member: StoredMember): StoredMember {
  return { ...member, isOptional: true };
}

export function nullable(member: StoredMember): StoredMember {
  return { ...member, isNullable: true };
}
