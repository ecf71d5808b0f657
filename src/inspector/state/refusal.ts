import type { Mark } from "./body-text.ts";
import type { WireRequest } from "./wire.ts";

/** What is wrong with a header: one that was sent, or one that is missing. */
export interface HeaderError {
  readonly name: string;
  readonly message: string;
}

/** Why a request was refused. */
export interface Refusal {
  readonly code: string | null;
  readonly message: string | null;
  readonly headers: readonly HeaderError[];
  /** By members of the body. */
  readonly members: readonly Mark[];
}

/** Why a request was refused, with its errors where they belong; undefined for one that was not. */
export function refusalOf(request: WireRequest): Refusal | undefined {
  const { status, code, message, errors, body } = request;
  if (status < 400) return undefined;
  const isHeader = ({ field }: { readonly field: string }): boolean =>
    /^x-/i.test(field) && body?.includes(JSON.stringify(field)) !== true;
  const headers = errors.filter(isHeader);
  return {
    code,
    message,
    headers: headers.map(({ field, ...error }) => ({
      name: field.toLowerCase(),
      message: error.message,
    })),
    members: errors
      .filter((error) => !headers.includes(error))
      .map(({ field, ...error }) => ({ path: [field], message: error.message })),
  };
}

/** The record that a request created, or that a simulation changed. */
export function recordOf({
  path,
  transaction_id: id,
}: WireRequest): { readonly pane: "payins" | "payouts"; readonly id: string } | undefined {
  if (id === null) return undefined;
  return { pane: path.includes("/payouts") ? "payouts" : "payins", id };
}
