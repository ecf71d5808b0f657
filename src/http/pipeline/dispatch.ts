import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError } from "../../core/records/errors.ts";
import type { FaultyOperation } from "../../core/faults/effects.ts";
import { type Eventually, StorageError } from "../../core/state/ports.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import { type Answer, toControlAnswer, withHeaders } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { toErrorAnswer } from "../calls/envelope.ts";
import { checkToken, readHeader, readToken, requestedLanguage } from "../calls/headers.ts";
import { checkOrigin, isCanonical, parseTarget } from "../context/origin.ts";
import { refuse as refuseGatewayCall, traceFor } from "./answer-call.ts";
import { malformedAddress, unknownRoute, wrongMethod } from "../calls/refusals.ts";
import type { Endpoint, Method } from "../definitions/route.ts";
import { loadLanguages } from "../../text/languages.ts";

/** The endpoints of one path; none if no route has the path. */
export type Methods = Readonly<Partial<Record<Method, HandledEndpoint>>>;
type HandledEndpoint = Pick<Endpoint, "handle" | "isOpen" | "isOfProcess" | "operation">;

/** Answers a call: the checks that all routes share, then the route; the request log gets the gateway's calls. */
export async function answer(call: Call, methods: Methods, context: Context): Promise<Answer> {
  const startedAt = monotonicNowMs();
  const atMs = context.clock.nowMs();
  // Without its texts the response is in English.
  if (needsLanguages(call, methods, context)) await loadLanguages().catch(context.report);
  let cors: Answer["headers"] | undefined;
  let answered: Answer;
  try {
    const target = parseTarget(call.target);
    if (!target) throw malformedAddress();
    cors = checkOrigin(call, target.authority, context.origins);
    context.reachedHosts.add(readHeader(call, "host"));
    answered =
      cors && call.method === "OPTIONS"
        ? PREFLIGHT
        : await run(call, endpointOf(call.method, methods, target.path), context);
  } catch (error) {
    answered = refuse(call, error, context, methods[call.method as Method]?.operation);
  }
  answered = withHeaders(withoutBodyOfHead(call.method, answered), cors);
  if (isControl(call)) return toControlAnswer(answered);
  if (answered.outcome?.isLost) call.loseAnswer();
  try {
    context.requests.log(call, answered, { atMs, durationMs: monotonicNowMs() - startedAt });
    return answered;
  } catch (error) {
    return refuse(call, error, context);
  }
}

const PREFLIGHT: Answer = { status: 204, headers: {}, body: null };

/** Whether the response may be in another language: a start does not wait for the texts. */
function needsLanguages(call: Call, methods: Methods, { gateway }: Context): boolean {
  if (isControl(call)) return !methods.GET?.isOfProcess;
  const choices = gateway.assumptionsOf(readToken(call));
  return (requestedLanguage(call) ?? choices["error.language"]) !== "en";
}

function run(call: Call, endpoint: HandledEndpoint, context: Context): Eventually<Answer> {
  const handle = (): Eventually<Answer> =>
    isControl(call) ? answerControl(call, endpoint, context) : endpoint.handle(call, context);
  const { lease } = context;
  return lease && !endpoint.isOfProcess ? lease.guard(handle) : handle();
}

async function answerControl(
  call: Call,
  { handle, isOpen = false }: HandledEndpoint,
  context: Context,
): Promise<Answer> {
  const refusal = isOpen ? undefined : context.controlToken?.refusalOf(call);
  if (refusal) {
    const assumptions = context.gateway.assumptionsOf(readToken(call));
    // The gateway's choice of statuses does not apply: programs recognize the 401.
    const trace = new AssumptionTrace({ ...assumptions, "error.status": "distinct" });
    return toErrorAnswer(refusal, trace, "envelope", requestedLanguage(call));
  }
  checkToken(call);
  return handle(call, context);
}

function endpointOf(method: string, methods: Methods, path: string): HandledEndpoint {
  const endpoint = methods[(method === "HEAD" ? "GET" : method) as Method];
  if (endpoint && isCanonical(path)) return endpoint;
  const allowed = Object.keys(methods);
  throw allowed.length === 0 || !isCanonical(path)
    ? unknownRoute(method, path)
    : wrongMethod(allowed, method, path);
}

/** The response to a HEAD has no body: an endless stream would never be read. */
function withoutBodyOfHead(method: string, answered: Answer): Answer {
  if (method !== "HEAD" || !(answered.body instanceof ReadableStream)) return answered;
  void answered.body.cancel();
  return { ...answered, body: null };
}

/** The response to a call that no route has answered. */
export function refuse(
  call: Call,
  error: unknown,
  context: Context,
  operation?: FaultyOperation,
): Answer {
  if (/^\/v[12]\//.test(call.url.pathname))
    return refuseGatewayCall(error, call, { trace: traceFor(call, context), operation }, context);
  if (!(error instanceof GatewayError || error instanceof StorageError)) context.report(error);
  const trace = new AssumptionTrace(context.gateway.assumptionsOf(readToken(call)));
  return toErrorAnswer(error, trace, "envelope", requestedLanguage(call));
}

/** Whether a call is for the sandbox's own routes and pages, rather than for the gateway. */
function isControl({ url }: Call): boolean {
  return url.pathname === "/" || url.pathname.startsWith("/_sandbox");
}
