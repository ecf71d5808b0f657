import type { CallFault } from "../../core/faults/fault.ts";
import type { FaultedCall } from "../../core/operations/injector.ts";
import { patchJson, writeEffect } from "../../core/faults/effects.ts";
import type { Eventually } from "../../core/state/ports.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import type { Answer, Outcome } from "../calls/answer.ts";
import { type Call, onAbort } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { HttpRefusal, stopping } from "../calls/refusals.ts";
import type { Operation } from "./answer-call.ts";
import type { ReadCall } from "./read-call.ts";
import { say } from "../../text/message.ts";

/** How a fault lets a call wait. */
export interface Wait {
  /** Resolves when the call may continue; rejects if it must not. */
  readonly turn: Promise<void>;
  /** Reports that the call has committed: the next of several held calls may run. */
  readonly decided?: (answerable: Eventually<unknown>) => void;
}

/** Takes the fault that applies to a call, and begins its wait; undefined if none applies. */
export function takeFault<Draft>(
  call: Call,
  { integration, key, draft, request, requestedFault }: ReadCall<Draft>,
  operation: Pick<Operation<Draft, unknown>, "faults" | "isKeyed" | "findMagic">,
  context: Context,
): { readonly fault: CallFault; readonly wait?: Wait | undefined } | undefined {
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
  return fault && { fault, wait: waitOf(call, fault, faulted, context) };
}

function waitOf(
  call: Call,
  { effect, id = "" }: CallFault,
  faulted: FaultedCall,
  context: Context,
): Wait | undefined {
  if (effect?.kind === "hold") return hold(call, id, faulted, context);
  if (effect?.kind !== "latency_ms") return undefined;
  return { turn: pause(context, faulted.integration, effect.ms) };
}

/** Waits in real time. The call runs even if its client disconnects meanwhile. */
async function pause(
  { gateway, closing }: Context,
  integration: string,
  ms: number,
): Promise<void> {
  if (closing.aborted) throw stopping();
  let end = (): void => undefined;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stopListening = gateway.faults.onDrop(integration, reject);
    const stopWaiting = onAbort(closing, () => reject(stopping()));
    end = () => {
      clearTimeout(timer);
      stopListening();
      stopWaiting();
    };
  }).finally(() => end());
}

/** Waits for the call's turn after its fault is released. */
function hold(call: Call, id: string, faulted: FaultedCall, { gateway, closing }: Context): Wait {
  const held = gateway.faults.hold(id, faulted);
  const stopWaiting = onAbort(closing, () => held.drop(stopping()));
  call.onDisconnect(() => held.drop(disconnected()));
  return {
    turn: held.turn.finally(stopWaiting),
    decided: (answerable) => held.decided(Promise.resolve(answerable)),
  };
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
export function patched(answer: Answer, fault: CallFault | undefined): Answer {
  if (fault?.effect?.kind !== "patch_body" || typeof answer.body !== "string") return answer;
  return { ...answer, body: patchJson(answer.body, fault.effect.patch) };
}

/** What the outcome says of a fault: an error acts on a refused call only, `lost_answer` on any other. */
export function faultIn(
  { effect, id }: CallFault,
  isRefused: boolean,
): Pick<Outcome, "fault" | "isLost"> {
  if (!effect || (effect.kind === "lost_answer" && isRefused)) return {};
  return {
    fault: { id: id ?? null, effect: writeEffect(effect) },
    ...(effect.kind === "lost_answer" && { isLost: true }),
  };
}
