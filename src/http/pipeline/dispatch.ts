import { untraced } from "../../core/assumptions/trace.ts";
import { GatewayError } from "../../core/records/errors.ts";
import type { FaultyOperation } from "../../core/faults/effects.ts";
import { type Eventually, StorageError } from "../../core/state/ports.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import {
  type Answer,
  attempt,
  attemptThen,
  toControlAnswer,
  withHeaders,
} from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { toErrorAnswer } from "../calls/envelope.ts";
import { checkToken, readHeader, readToken, requestedLanguage } from "../calls/headers.ts";
import {
  checkOrigin,
  type CorsHeaders,
  isCanonical,
  parseTarget,
  type Target,
} from "../context/origin.ts";
import { refuse as refuseGatewayCall, traceFor } from "./answer-call.ts";
import type { ReceivedCall } from "../calls/received-call.ts";
import {
  type HttpRefusal,
  malformedAddress,
  unknownRoute,
  wrongMethod,
} from "../calls/refusals.ts";
import type { Method } from "../../core/state/wire-routes.ts";
import type { Endpoint } from "../definitions/route.ts";
import { hasAllLanguages, loadLanguages } from "../../text/languages.ts";

/** The endpoints of one path; none if no route has the path. */
export type Methods = Readonly<Partial<Record<Method, HandledEndpoint>>>;
type HandledEndpoint = Pick<Endpoint, "handle" | "isOpen" | "isOfProcess" | "operation">;

/** Answers a call: the checks that all routes share, then the route; the request log gets the gateway's calls. */
export function answer(call: ReceivedCall, methods: Methods, context: Context): Eventually<Answer> {
  return attempt(
    () => {
      if (!needsLanguages(call, methods, context)) return answerNow(call, methods, context);
      // Without its texts the response is in English.
      return loadLanguages()
        .catch(context.report)
        .then(() => answerNow(call, methods, context));
    },
    (error) => refuse(call, error, context),
  );
}

/** Whether the texts of every language are loaded: they stay so. */
let isReady = false;

/** Whether the response may be in a language whose texts are not loaded: a start does not wait for them. */
function needsLanguages(call: ReceivedCall, methods: Methods, { gateway }: Context): boolean {
  isReady ||= hasAllLanguages();
  if (isReady) return false;
  if (isControl(call) && !methods.GET?.isOfProcess) return true;
  const language =
    requestedLanguage(call) ?? gateway.assumptionsOf(readToken(call))["error.language"];
  return language !== "en";
}

function answerNow(call: ReceivedCall, methods: Methods, context: Context): Eventually<Answer> {
  const startedAt = monotonicNowMs();
  const atMs = context.clock.nowMs();
  const ofGateway = !isControl(call);
  let cors: CorsHeaders | undefined;

  const handle = (): Eventually<Answer> => {
    const target = readTarget(call);
    cors = checkOrigin(call, target.authority, context.origins);
    context.reachedHosts.add(readHeader(call, "host"));
    if (cors && call.method === "OPTIONS") return PREFLIGHT;
    const endpoint = endpointOf(call.method, methods, target.path);
    const run = (): Eventually<Answer> =>
      ofGateway ? endpoint.handle(call, context) : answerControl(call, endpoint, context);
    const { lease } = context;
    return lease && !endpoint.isOfProcess ? lease.guard(run) : run();
  };
  const refused = (error: unknown): Answer =>
    refuse(call, error, context, methods[call.method as Method]?.operation);
  const complete = (handled: Answer): Eventually<Answer> => {
    const answered = withHeaders(withoutBodyOfHead(call.method, handled), cors);
    if (!ofGateway) return toControlAnswer(answered);
    if (answered.outcome?.isLost) call.loseAnswer();
    context.requests.log(call, answered, { atMs, durationMs: monotonicNowMs() - startedAt });
    return answered;
  };
  return attemptThen(handle, refused, complete);
}

const PREFLIGHT: Answer = { status: 204, headers: {}, body: null };

/** @throws HttpRefusal 400 for a target that is neither a path nor an HTTP address. */
function readTarget(call: ReceivedCall): Target {
  const target = parseTarget(call.target);
  if (!target) throw malformedAddress();
  return target;
}

async function answerControl(
  call: ReceivedCall,
  { handle, isOpen = false }: HandledEndpoint,
  context: Context,
): Promise<Answer> {
  const refusal = isOpen ? undefined : context.controlToken?.refusalOf(call);
  if (refusal) return refuseWithoutToken(call, refusal, context);
  checkToken(call);
  return handle(call, context);
}

/** The response to a call without the control token. */
function refuseWithoutToken(
  call: ReceivedCall,
  refusal: HttpRefusal,
  { gateway }: Context,
): Answer {
  const assumptions = gateway.assumptionsOf(readToken(call));
  // The gateway's choice of statuses does not apply: programs recognize the 401.
  const trace = untraced({ ...assumptions, "error.status": "distinct" });
  return toErrorAnswer(refusal, trace, "envelope", requestedLanguage(call));
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
  const trace = untraced(context.gateway.assumptionsOf(readToken(call)));
  return toErrorAnswer(error, trace, "envelope", requestedLanguage(call));
}

/** Whether a call is for the sandbox's own routes and pages, rather than for the gateway. */
function isControl({ url }: Call): boolean {
  return url.pathname === "/" || url.pathname.startsWith("/_sandbox");
}
