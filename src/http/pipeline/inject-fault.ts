import type { CallFault } from "../../core/faults/fault.ts";
import type { FaultedCall } from "../../core/operations/injector.ts";
import type { MagicName } from "../../core/faults/magic-values.ts";
import type { Eventually } from "../../core/state/ports.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { onAbort } from "../calls/call.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { HttpRefusal, stopping } from "../calls/refusals.ts";
import type { Operation } from "./answer-call.ts";
import type { ReadCall } from "./read-call.ts";
import { say } from "../../text/message.ts";

/** The fault of one call, as the stages after it see it. */
export interface InjectedFault {
  /** Resolves when the call may continue; rejects if it must not. Undefined if the call does not wait. */
  readonly wait?: Promise<void>;
  /** The part of the fault that the decision applies. */
  readonly atDecision: CallFault;
  readonly losesAnswer: boolean;
  /** The merge patch of the response's JSON. */
  readonly patch?: string;
  /** The magic value that caused the fault. */
  readonly magic?: MagicName | undefined;
  /** Reports that the call has committed: the next of several held calls may run. */
  readonly decided?: (answerable: Eventually<unknown>) => void;
}

/** Takes the fault that applies to a call; undefined if none does. */
export function injectFault<Draft>(
  call: Call,
  { integration, key, draft, request, requestedFault }: ReadCall<Draft>,
  {
    faults: operation,
    isKeyed,
    findMagic,
  }: Pick<Operation<Draft, unknown>, "faults" | "isKeyed" | "findMagic">,
  context: Context,
): InjectedFault | undefined {
  if (operation === undefined) return undefined;
  const faulted: FaultedCall = {
    operation,
    integration,
    key: isKeyed ? key : null,
    request,
    requested: requestedFault,
    magic: context.magic ? findMagic?.(draft) : undefined,
  };
  const fault = context.gateway.faults.take(faulted);
  return fault && applyFault(call, fault, faulted, context);
}

function applyFault(
  call: Call,
  fault: CallFault,
  faulted: FaultedCall,
  context: Context,
): InjectedFault {
  const { effect, webhook, id = "" } = fault;
  const magic = fault.magic?.name;
  switch (effect?.kind) {
    case "latency_ms": {
      const wait = pause(context, faulted.integration, effect.ms);
      return { wait, atDecision: { webhook }, losesAnswer: false, magic };
    }
    case "hold": {
      const held = hold(call, id, faulted, context);
      return { ...held, atDecision: { webhook }, losesAnswer: false, magic };
    }
    case "patch_body":
      return { atDecision: { webhook }, losesAnswer: false, patch: effect.patch, magic };
    case "lost_answer":
    case "error":
    case undefined: {
      const losesAnswer = effect?.kind === "lost_answer";
      return { atDecision: fault, losesAnswer, magic };
    }
  }
}

/** Waits in real time. The call runs even if its client disconnects meanwhile. */
async function pause(
  { gateway, closing }: Context,
  integration: string,
  ms: number,
): Promise<void> {
  if (closing.aborted) throw stopping();
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stopWaiting();
      stopListening();
    };
    const drop = (reason: Error): void => {
      end();
      reject(reason);
    };
    const timer = setTimeout(() => {
      end();
      resolve();
    }, ms);
    const stopListening = gateway.faults.onDrop(integration, drop);
    const stopWaiting = onAbort(closing, () => drop(stopping()));
  });
}

/** Waits for the call's turn after its fault is released. */
function hold(
  call: Call,
  faultId: string,
  faulted: FaultedCall,
  { gateway, closing }: Context,
): Pick<InjectedFault, "wait" | "decided"> {
  const held = gateway.faults.hold(faultId, faulted);
  const stopWaiting = onAbort(closing, () => held.drop(stopping()));
  call.onDisconnect(() => held.drop(disconnected()));
  return {
    wait: held.turn.finally(stopWaiting),
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
