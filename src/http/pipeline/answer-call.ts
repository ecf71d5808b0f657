import { patchJson } from "../../core/faults/effects.ts";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { authorize } from "./authorize.ts";
import { type InjectedFault, injectFault } from "./inject-fault.ts";
import type { Operation } from "./operation.ts";
import { readCall } from "./read-call.ts";
import { refuse, respond, traceFor } from "./respond.ts";

/**
 * Answers one gateway call. The stages follow the contract's order of checks: read, authorize, find repeat,
 * admit, inject fault, decide, respond. Neither the rate limit nor faults apply to a repeat, and a call is
 * counted once.
 * @param call with its body read
 */
export async function answerCall<Draft, Result>(
  call: Call,
  operation: Operation<Draft, Result>,
  context: Context,
): Promise<Answer> {
  const { gateway, rateLimit } = context;
  const trace = traceFor(call, context);
  let fault: InjectedFault | undefined;
  try {
    // Headers and body together: a 400 names every field that is wrong.
    const request = readCall<Draft>(call, operation, context, trace);
    authorize(request, context, trace); // 401
    const { integration } = request;
    // Reading alone does not create an integration.
    if (operation.body) gateway.integrationIsUsed(integration);
    // Read for every call: the response of a repeat depends on it too, since a repeat is not refused.
    const perMinute = trace.read("rate_limit.per_minute");

    const earlier = operation.findRepeat?.(request, gateway); // 409
    if (earlier) return respond(operation.respond(await earlier, request), trace, context);

    const admittedAtMs = perMinute > 0 ? rateLimit.admit(integration, perMinute) : 0; // 429

    fault = injectFault(call, request, operation, context);
    let late: Promise<Result> | undefined;
    if (fault?.wait) {
      await fault.wait;
      // Other calls ran meanwhile: one of them may have used the key.
      late = operation.findRepeat?.(request, gateway);
      if (late) rateLimit.withdraw(integration, admittedAtMs);
    }

    const deciding = late ?? operation.decide(request, gateway, fault?.atDecision); // 422, 502
    fault?.decided?.(deciding);
    const answer = operation.respond(await deciding, request);
    const sent = fault?.losesAnswer ? { ...answer, isLost: true } : patched(answer, fault);
    return respond(sent, trace, context, fault?.magic);
  } catch (error) {
    fault?.decided?.(Promise.resolve());
    return patched(refuse(error, call, trace, context, fault?.magic), fault);
  }
}

function patched(answer: Answer, fault: InjectedFault | undefined): Answer {
  if (fault?.patch === undefined || typeof answer.body !== "string") return answer;
  return { ...answer, body: patchJson(answer.body, fault.patch) };
}
