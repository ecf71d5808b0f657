import * as z from "zod";
import type { AssumptionTrace } from "../core/assumptions/trace.ts";
import type { PayoutOutcome } from "../core/payments/payout.ts";
import { type Answer, toAnswer, toJsonAnswer } from "./answer.ts";

/** The answer of a creation, from its JSON text. */
export function toCreated<Value>(text: string, isRepeat: boolean): Answer<Value> {
  return isRepeat ? toJsonAnswer(text, REPLAYED) : toJsonAnswer(text);
}

const REPLAYED = { "content-type": "application/json", "idempotent-replayed": "true" };

/** The answer of a simulation. */
export const simulated = z.object({ message: z.string() }).meta({
  id: "Simulated",
  description: "A simulation's confirmation; worded of a charge for both.",
  examples: [{ message: "The charge was marked as completed in staging." }],
});

/** The message is worded of a charge for payouts too, as the specification has it. */
export function toSimulated(
  status: PayoutOutcome,
  trace: AssumptionTrace,
): Answer<z.output<typeof simulated>> {
  trace.read("simulation.message");
  return toAnswer({ message: SIMULATED[status][trace.read("error.language")] });
}

const SIMULATED = {
  completed: {
    en: "The charge was marked as completed in staging.",
    pt: "A cobrança foi marcada como concluída em staging.",
  },
  canceled: {
    en: "The charge was marked as canceled in staging.",
    pt: "A cobrança foi marcada como cancelada em staging.",
  },
};
