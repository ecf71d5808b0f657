import { AssumptionTrace, isStandard } from "../../core/assumptions/trace.ts";
import { GatewayError } from "../../core/records/errors.ts";
import type { MagicName } from "../../core/faults/magic-values.ts";
import { StorageError } from "../../core/state/ports.ts";
import { type Answer, withHeaders } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { toErrorAnswer } from "../calls/envelope.ts";
import { readToken, requestedLanguage } from "../calls/headers.ts";

/**
 * Reads the assumptions that are in force for a gateway call. The reviewer learns which were read; the response
 * names them only under `--explain`, or if a choice is not the default.
 */
export function traceFor(call: Call, { gateway, explain, reviewer }: Context): AssumptionTrace {
  const integration = readToken(call);
  const assumptions = gateway.assumptionsOf(integration);
  const { used } = reviewer;
  const trace =
    !explain && isStandard(assumptions)
      ? used.traceOf(integration, assumptions)
      : new AssumptionTrace(assumptions, new Set(), used.namesOf(integration));
  if (isVersion2(call)) trace.read("payin.v2");
  return trace;
}

/** Adds the headers that name what the response depends on; call it after the body is written, since writing the body reads assumptions. */
export function respond(
  answer: Answer,
  trace: AssumptionTrace,
  { explain }: Pick<Context, "explain">,
  magic?: MagicName,
): Answer {
  const assumptions = trace.describe(explain);
  if (assumptions === undefined && magic === undefined) return answer;
  return withHeaders(answer, {
    ...(assumptions !== undefined && { "x-sandbox-assumption": assumptions }),
    ...(magic !== undefined && { "x-sandbox-magic": magic }),
  });
}

/** Answers a gateway call with an error. */
export function refuse(
  error: unknown,
  call: Call,
  trace: AssumptionTrace,
  context: Pick<Context, "explain" | "report">,
  magic?: MagicName,
): Answer {
  if (!(error instanceof GatewayError || error instanceof StorageError)) context.report(error);
  const answer = toErrorAnswer(
    error,
    trace,
    isVersion2(call) ? "problem" : "envelope",
    requestedLanguage(call),
  );
  return respond(answer, trace, context, magic);
}

function isVersion2({ url }: Call): boolean {
  return url.pathname.startsWith("/v2/");
}
