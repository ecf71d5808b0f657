import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError } from "../../core/errors.ts";
import type { MagicName } from "../../core/faults/magic-values.ts";
import { StorageError } from "../../core/ports.ts";
import { type Answer, withHeaders } from "../answer.ts";
import { type Call, requestedLanguage } from "../call.ts";
import type { Context } from "../context.ts";
import { toErrorAnswer } from "../envelope.ts";
import { isVersion2 } from "./assumption-header.ts";

/** Adds the headers that name what the answer depends on; its body is written before, which reads assumptions. */
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
