import type { Assumptions } from "../assumptions/table.ts";
import { GatewayError } from "../errors.ts";

export type Operation = "payins.create" | "payouts.create";

/** What is known of a key that a call has taken. */
export interface UsedKey {
  readonly operation: Operation;
  /** The request's JSON text, as it was sent. */
  readonly request: string;
  /** The record that the call made; the first answer is drawn from it again. */
  readonly recordId: string;
  readonly takenAtMs: number;
}

/** One call that may be a repeat. */
export interface KeyedCall {
  readonly integration: string;
  readonly key: string;
  /** The request's JSON text, as it was sent. */
  readonly request: string;
  /** The choices that the caller sees hold; absent where they are to be looked up. */
  readonly assumptions?: Assumptions | undefined;
  /** Asked once the call is known to be no repeat; throws where it may not go on. */
  readonly admit?: (() => void) | undefined;
}

/**
 * What a key says about a call: undefined for a first call, the taken key for a repeat of it.
 * @throws GatewayError DUPLICATED_VALUE for a key that is used for another request.
 */
export function repeatOf(
  taken: UsedKey | undefined,
  operation: Operation,
  call: KeyedCall,
  assumptions: Assumptions,
  nowMs: number,
): UsedKey | undefined {
  if (!taken || isPast(taken.takenAtMs, assumptions, nowMs)) return undefined;
  // Another operation has another answer, so that not even a lenient gateway could repeat it.
  const isSameOperation = taken.operation === operation;
  const isSameRequest = isSameOperation && isSameJson(taken.request, call.request);
  const choice = isSameRequest
    ? assumptions["idempotency.repeat"]
    : assumptions["idempotency.mismatch"];
  if (choice === "replay" && isSameOperation) return taken;
  throw duplicatedKey(isSameRequest);
}

/** Whether a key that was taken at a time may be used again. */
export function isPast(takenAtMs: number, assumptions: Assumptions, nowMs: number): boolean {
  return nowMs >= takenAtMs + assumptions["idempotency.retention_seconds"] * 1000;
}

function duplicatedKey(isSameRequest: boolean): GatewayError {
  const message = isSameRequest
    ? {
        en: "x-idempotency-key was used by this request before.",
        pt: "x-idempotency-key já foi usada por esta requisição.",
      }
    : {
        en: "x-idempotency-key was used for another request; use a new key for each operation.",
        pt: "x-idempotency-key já foi usada em outra requisição; use uma chave nova para cada operação.",
      };
  return new GatewayError("DUPLICATED_VALUE", message, [
    { field: "x-idempotency-key", code: "DUPLICATED_VALUE", message },
  ]);
}

/** Whether two JSON texts hold the same value, the order of members aside. */
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
