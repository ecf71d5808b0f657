import type { H3Event } from "h3";
import type { CallFault } from "../core/faults/fault.ts";
import type { MagicName } from "../core/faults/magic-values.ts";
import type { FaultedCall } from "../core/faults/injector.ts";
import type { Context } from "./context.ts";
import { onAbort } from "./abort.ts";
import { loseAnswer, onDisconnect } from "./disconnect.ts";
import { clearTimeout, setTimeout } from "../platform/real-time.ts";
import { HttpRefusal, stopping } from "./refusals.ts";

/**
 * Does the work of a gateway call as its faults have it: at once, after a while, when it is released, or
 * with nobody to hear of it.
 * @param work decides before it returns
 */
export function withFaults<Result>(
  context: Context,
  event: H3Event,
  call: FaultedCall,
  work: (fault?: CallFault) => Promise<Result>,
): Promise<Result> {
  const fault = context.gateway.faults.on(call);
  if (fault?.magic) shapedBy.set(event, fault.magic.name);
  return fault ? suffer(context, event, call, fault, work) : work();
}

/** The meaning of the magic value that an answer is shaped by; undefined where it is by none. */
export function namedMagic(event: H3Event): MagicName | undefined {
  return shapedBy.get(event);
}

const shapedBy = new WeakMap<H3Event, MagicName>();

async function suffer<Result>(
  context: Context,
  event: H3Event,
  call: FaultedCall,
  fault: CallFault,
  work: (fault?: CallFault) => Promise<Result>,
): Promise<Result> {
  const { effect, webhook, id } = fault;
  switch (effect?.kind) {
    case "latency_ms":
      await pause(context, call.integration, effect.ms);
      return work({ webhook });
    case "hold":
      return hold(context, event, id ?? "", call, () => work({ webhook }));
    case "lost_answer": {
      const result = await work(fault);
      loseAnswer(event);
      return result;
    }
    case "error":
    case undefined:
      return work(fault);
  }
}

/** The work is done even where the client has had enough meanwhile: it cannot be called back. */
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
    const giveUp = (reason: Error): void => {
      end();
      reject(reason);
    };
    const timer = setTimeout(() => {
      end();
      resolve();
    }, ms);
    const stopListening = gateway.faults.onGivenUp(integration, giveUp);
    const stopWaiting = onAbort(closing, () => giveUp(stopping()));
  });
}

async function hold<Result>(
  { gateway, closing }: Context,
  event: H3Event,
  faultId: string,
  call: FaultedCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const { result, drop } = gateway.faults.hold(faultId, call, work);
  const stopWaiting = onAbort(closing, () => drop(stopping()));
  onDisconnect(event, () => drop(dropped()));
  try {
    return await result;
  } finally {
    stopWaiting();
  }
}

/** Nobody hears it: the one who called is gone. */
function dropped(): HttpRefusal {
  return new HttpRefusal(408, "EXTERNAL_ERROR", {
    en: "The call was given up while it was held; nothing was done.",
    pt: "A chamada foi abandonada enquanto estava retida; nada foi feito.",
  });
}
