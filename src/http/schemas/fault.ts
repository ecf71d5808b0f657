import * as z from "zod";
import { FAULT_PLACES, FAULTY_OPERATIONS } from "../../core/faults/effects.ts";

export const faultExample = {
  id: "flt_322c2b94d271a1b98fe9f92cd4ecd821",
  on: "payouts.create",
  effect: "error=EXTERNAL_ERROR",
  times: 1,
  used: 0,
  integration: null,
};

const faultId = z.string().regex(/^flt_[0-9a-f]{32}$/);

export const fault = z
  .object({
    id: faultId,
    on: z.enum(FAULT_PLACES),
    effect: z.string(),
    match: z.record(z.string(), z.unknown()).exactOptional(),
    times: z.int().min(0).exactOptional().meta({
      description: "How often it still applies; absent: always.",
    }),
    probability: z.number().min(0).max(1).exactOptional(),
    used: z.int().min(0),
    held: z
      .array(z.object({ idempotency_key: z.string().nullable() }))
      .exactOptional()
      .meta({ description: "The calls that it holds, in the order of their arrival." }),
    integration: z.string().nullable().meta({
      description: "The `x-api-token` whose calls it acts on; null: all.",
    }),
  })
  .meta({
    id: "Fault",
    description: "A fault, and how often it was used.",
    examples: [faultExample],
  });

/** A call that a fault holds, or has just released. */
export const holdEvent = z
  .object({
    fault_id: faultId,
    on: z.enum(FAULTY_OPERATIONS).meta({ description: "The operation of the call." }),
    idempotency_key: z.string().nullable().meta({
      description: "The call's `x-idempotency-key`; null for a simulation, which has none.",
    }),
    integration: z.string(),
    held: z.int().min(0).meta({ description: "How many calls the fault holds now." }),
  })
  .meta({
    id: "HoldEvent",
    description: "A call that a fault holds, or has just released.",
    examples: [
      {
        fault_id: faultExample.id,
        on: "payouts.create",
        idempotency_key: "order-1",
        integration: "shop",
        held: 1,
      },
    ],
  });
