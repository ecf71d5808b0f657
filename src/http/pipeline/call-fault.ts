import type { CallFault } from "../../core/faults/fault.ts";
import type { FaultedCall } from "../../core/operations/injector.ts";
import { partsOf, patchJson } from "../../core/faults/effects.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import type { Answer, Outcome } from "../calls/answer.ts";
import { type Call, onAbort } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { HttpRefusal, stopping } from "../calls/refusals.ts";
import type { Operation } from "./answer-call.ts";
import type { ReadCall } from "./read-call.ts";
import { say } from "../../text/message.ts";

/** Takes the fault that applies to a call, and begins its wait; undefined if none applies. */
export function takeFault<Draft>(
  call: Call,
  { integration, key, draft, request, requestedFault }: ReadCall<Draft>,
  operation: Pick<Operation<Draft, unknown>, "faults" | "isKeyed" | "findMagic">,
  context: Context,
): { readonly fault: CallFault; readonly turn: Promise<void> | undefined } | undefined {
  if (operation.faults === undefined) return undefined;
  const faulted: FaultedCall = {
    operation: operation.faults,
    integration,
    key: operation.isKeyed ? key : null,
    request,
    requested: requestedFault,
    magic: context.magic ? operation.findMagic?.(draft) : undefined,
  };
  const fault = context.gateway.faults.take(faulted);
  return fault && { fault, turn: turnOf(call, fault, faulted, context) };
}

/** Resolves when a call that its fault lets wait may continue; rejects if it must not. */
function turnOf(
  call: Call,
  { effect = "", id }: CallFault,
  faulted: FaultedCall,
  { gateway, closing }: Context,
): Promise<void> | undefined {
  const { kind, value } = partsOf(effect);
  if (kind !== "hold" && kind !== "latency_ms") return undefined;
  const { turn, end } = gateway.faults.wait(faulted, kind === "hold" ? (id ?? null) : null);
  // In real time. The call runs even if its client disconnects meanwhile.
  const timer = kind === "hold" ? undefined : setTimeout(end, Number(value));
  if (kind === "hold") call.onDisconnect(() => end(disconnected()));
  const stopListening = onAbort(closing, () => end(stopping()));
  const clean = (): void => {
    clearTimeout(timer);
    stopListening();
  };
  void turn.then(clean, clean);
  return turn;
}

/** Only the request log shows it: the client has disconnected. */
function disconnected(): HttpRefusal {
  return new HttpRefusal(
    408,
    "EXTERNAL_ERROR",
    say`The client disconnected while a fault held the call; nothing was done.`,
  );
}

/** The response after the fault has changed its body. */
export function patched(answer: Answer, { effect = "" }: CallFault = {}): Answer {
  const { kind, value } = partsOf(effect);
  if (kind !== "patch_body" || typeof answer.body !== "string") return answer;
  return { ...answer, body: patchJson(answer.body, value) };
}

/** What the outcome says of a fault: an error acts on a refused call only, `lost_answer` on any other. */
export function faultIn(
  { effect, id }: CallFault,
  isRefused: boolean,
): Pick<Outcome, "fault" | "isLost"> {
  const isLost = effect === "lost_answer";
  if (effect === undefined || (isLost && isRefused)) return {};
  return { fault: { id: id ?? null, effect }, ...(isLost && { isLost }) };
}
