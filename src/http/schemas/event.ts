import * as z from "zod";
import { attemptEvent, delivery } from "./delivery.ts";
import {
  clockMode,
  eventId,
  eventType,
  instant,
  instantWith,
  integration,
  uuid,
} from "./members.ts";
import { payin, payout } from "./records.ts";
import { fault, snapshot } from "./rows.ts";

export const resetEvent = z.object({ integration: z.string().nullable() }).meta({
  id: "ResetEvent",
  description: "The integration whose records were replaced or removed; null: all of them.",
});

export const faultEvent = z.object({ change: z.enum(["created", "used", "removed"]), fault }).meta({
  id: "FaultEvent",
  description: "A change of a fault, and the fault after it.",
});

export const clockEvent = z.object({ now: instant, mode: clockMode }).meta({
  id: "ClockEvent",
  description: "The sandbox's time after a change of the clock.",
});

export const assumptionsEvent = z
  .object({
    integration: z.string().nullable().meta({
      description: "The integration whose choices changed; null: all without changes of their own.",
    }),
    changes: z.record(z.string(), z.union([z.string(), z.int()])).meta({
      description: "The new choices, by the names of the assumptions.",
    }),
  })
  .meta({
    id: "AssumptionsEvent",
    description: "A change of assumptions.",
  });

export const snapshotEvent = z
  .union([
    z.object({ change: z.enum(["saved", "restored"]), snapshot }),
    z.object({
      change: z.literal("deleted"),
      snapshot: z.object({ name: z.string(), integration: z.string().nullable() }),
    }),
  ])
  .meta({
    id: "SnapshotEvent",
    description: "A change of a snapshot, or its use.",
  });

export const sentEvent = z
  .object({
    delivery_id: eventId,
    type: eventType,
    transaction_id: uuid,
    url: z.string(),
    attempt_number: z.int().min(1),
    resend: z.boolean().meta({ description: "Whether a user requested the attempt." }),
    at: instantWith({ description: "Real time, as that of an attempt." }),
    sandbox_at: instantWith({ description: "The same by the sandbox's clock." }),
    integration,
  })
  .meta({
    id: "SentEvent",
    description: "An attempt that begins. Its event `attempt` has the same `attempt_number`.",
  });

/** An event with the time at which it fell due. */
export const timedEvent = z.discriminatedUnion("kind", [
  z.object({ at: instant, kind: z.literal("payin"), data: payin }),
  z.object({ at: instant, kind: z.literal("payout"), data: payout }),
  z.object({ at: instant, kind: z.literal("delivery"), data: delivery }),
  z.object({ at: instant, kind: z.literal("attempt"), data: attemptEvent }),
  z.object({ at: instant, kind: z.literal("reset"), data: resetEvent }),
]);
