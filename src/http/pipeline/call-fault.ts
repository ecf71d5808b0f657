import { partsOf, patchJson } from "../../core/faults/effects.ts";
import type { CallFault } from "../../core/faults/fault.ts";
import type { FaultedCall } from "../../core/operations/injector.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { say } from "../../text/message.ts";
import type { Answer, Outcome } from "../calls/answer.ts";
import { type Call, onAbort } from "../calls/call.ts";
import { HttpRefusal, stopping } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import type { Operation } from "./answer-call.ts";
import type { ReadCall } from "./read-call.ts";

/**
 * Takes the fault that applies to a call, if any, and notes it with the call.
 * @returns resolves when a call that its fault lets wait may continue; rejects if it must not; undefined without a wait
 */
export function takeFault<Draft>(
  call: Call,
  request: ReadCall<Draft>,
  operation: Pick<Operation<Draft, unknown>, "faults" | "isKeyed" | "findMagic">,
  { gateway: { faults }, magic, closing }: Context,
): Promise<void> | undefined {
  if (operation.faults === undefined) return undefined;
  const faulted: FaultedCall = {
    operation: operation.faults,
    integration: request.integration,
    key: operation.isKeyed ? request.key : null,
    request: request.request,
    requested: request.requestedFault,
    magic: magic ? operation.findMagic?.(request.draft) : undefined,
  };
  const fault = faults.take(faulted);
  call.fault = request.fault = fault;
  const { kind, value } = partsOf(fault?.effect ?? "");
  if (kind !== "hold" && kind !== "latency_ms") return undefined;
  const isHeld = kind === "hold";
  const { turn, end } = faults.wait(faulted, isHeld ? (fault?.id ?? null) : null);
  // In real time. The call runs even if its client disconnects meanwhile.
  const timer = isHeld ? undefined : setTimeout(end, Number(value));
  // Only the request log shows this refusal.
  if (isHeld) call.onDisconnect(() => end(new HttpRefusal(408, DISCONNECTED)));
  const stopListening = onAbort(closing, () => end(stopping()));
  const clean = (): void => {
    clearTimeout(timer);
    stopListening();
  };
  void turn.then(clean, clean);
  return turn;
}

const DISCONNECTED = say`The client disconnected while a fault held the call; nothing was done.`;

/** The response after a fault has changed its body. */
export function patched(answer: Answer, { effect = "" }: CallFault): Answer {
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
