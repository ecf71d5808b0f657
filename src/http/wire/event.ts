import * as z from "zod";
import { attemptEvent, attemptEventExample, delivery } from "./delivery.ts";
import { instant } from "./members.ts";
import { payin } from "./payin.ts";
import { payout } from "./payout.ts";
import { TIME } from "./samples.ts";

export const resetEvent = z.object({ integration: z.string().nullable() }).meta({
  id: "ResetEvent",
  description: "The integration whose records were replaced or removed; null: all of them.",
  examples: [{ integration: "shop" }],
});

export const timedEventExample = { at: TIME, kind: "attempt", data: attemptEventExample };

/** An event with the time at which it fell due. */
export const timedEvent = z.discriminatedUnion("kind", [
  z.object({ at: instant, kind: z.literal("payin"), data: payin }),
  z.object({ at: instant, kind: z.literal("payout"), data: payout }),
  z.object({ at: instant, kind: z.literal("delivery"), data: delivery }),
  z.object({ at: instant, kind: z.literal("attempt"), data: attemptEvent }),
  z.object({ at: instant, kind: z.literal("reset"), data: resetEvent }),
]);
