import type { Assumptions } from "../assumptions/table.ts";

/** The central bank's largest amount, R$ 9,999,999,999.99, in centavos. */
const MAX_CENTS = 999_999_999_999;

/**
 * Converts the wire's number to centavos; undefined if it is not an amount.
 *
 * A floating-point sum such as 0.1 + 0.2 counts as an amount with two decimals: it differs from one only
 * in the last bits of the number.
 */
export function toCents(value: number, unit: Assumptions["value.unit"]): number | undefined {
  const cents = unit === "centavos" ? value : Math.round(value * 100);
  if (!Number.isSafeInteger(cents) || cents < 1 || cents > MAX_CENTS) return undefined;
  const isExact =
    unit === "centavos" || Math.abs(cents / 100 - value) <= 2 * Number.EPSILON * value;
  return isExact ? cents : undefined;
}

/** Centavos as the wire's number. */
export function toWireValue(cents: number, unit: Assumptions["value.unit"]): number {
  return unit === "centavos" ? cents : cents / 100;
}
