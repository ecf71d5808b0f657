import { AssumptionTrace, isStandard, untraced } from "../../core/assumptions/trace.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { readToken } from "../token.ts";

/**
 * Reads the assumptions that are in force for a gateway call. They are traced only if the answer may name
 * one: under `--explain`, or if a choice is not the default.
 */
export function traceFor(call: Call, { gateway, explain }: Context): AssumptionTrace {
  const assumptions = gateway.assumptionsOf(readToken(call));
  if (!explain && isStandard(assumptions)) return untraced(assumptions);
  const trace = new AssumptionTrace(assumptions, new Set());
  if (isVersion2(call)) trace.read("payin.v2");
  return trace;
}

export function isVersion2({ url }: Call): boolean {
  return url.pathname.startsWith("/v2/");
}
