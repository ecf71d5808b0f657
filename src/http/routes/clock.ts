import * as z from "zod";
import { notProcessable } from "../../core/records/errors.ts";
import { concerns } from "../../core/state/events.ts";
import type { TimedEvent } from "../../core/operations/clock-driver.ts";
import { DUE_TASKS } from "../../core/operations/due-tasks.ts";
import { END_OF_TIME_MS, fromIso, toIso } from "../../wire/timestamp.ts";
import { toWireEvent } from "../../core/state/wire.ts";
import type { Context } from "../context/context.ts";
import { route } from "../definitions/route.ts";
import { attempt, delivery } from "../schemas/delivery.ts";
import { payin, payout } from "../schemas/records.ts";
import { clockMode, instant, integration } from "../schemas/members.ts";
import { say } from "../../text/message.ts";

const timed = <Name extends string, Data extends z.ZodType>(kind: Name, data: Data) =>
  z.object({ at: instant, kind: z.literal(kind), data });

/** A change of records, with the time at which it fell due. */
const timedEvent = z.discriminatedUnion("kind", [
  timed("payin", payin),
  timed("payout", payout),
  timed("delivery", delivery),
  timed("attempt", delivery.extend({ attempt_number: z.int().min(1), attempt })),
  timed("reset", z.object({ integration: z.string().nullable() })),
]);

const clock = z.object({ now: instant, mode: clockMode, happened: z.array(timedEvent) }).meta({
  id: "Clock",
  description: "The sandbox's time, and the events that moving it caused, in order.",
});

const nextTask = z
  .object({
    at: instant,
    kind: z.enum(DUE_TASKS),
    id: z.string().describe("Of the payin, the payout or the delivery."),
    integration,
  })
  .nullable()
  .describe("What happens next as time passes; null if nothing is due.");

/** Longer than any expiry and any series of retries. */
const YEAR_SECONDS = 366 * 86_400;

/** A route that stops or starts the clock. */
const turns = (summary: string, turn: "freeze" | "resume") =>
  route({
    summary,
    answer: clock,
    run: async ({ token }, context) => timeOf(context, token, await context.clockDriver.turn(turn)),
  });

/** The sandbox's time. */
export const clockRoutes = {
  "GET /clock": route({
    summary: "Shows the sandbox's time, and what is due next; `happened` is empty.",
    answer: clock.extend({ next: nextTask }),
    async run({ token }, context) {
      const { gateway } = context;
      const task = await gateway.read(token, () => gateway.due.next(token));
      if (!task) return { ...timeOf(context, token), next: null };
      const { atMs, ...next } = task;
      return { ...timeOf(context, token), next: { at: toIso(atMs), ...next } };
    },
  }),

  "POST /clock/advance": route({
    summary: "Moves time forward by some seconds; responds when all due tasks are done.",
    body: z.strictObject({
      seconds: z.number().max(YEAR_SECONDS).describe("The sandbox's time does not go back."),
    }),
    rules: { seconds: say`seconds must be a number, at most 31622400.` },
    answer: clock,
    async run({ token, body: { seconds } }, context) {
      if (seconds < 0) throw notProcessable(NO_WAY_BACK, "seconds");
      const stepMs = Math.round(seconds * 1000);
      if (context.clock.nowMs() + stepMs >= END_OF_TIME_MS) throw notProcessable(NO_END, "seconds");
      const happened = await context.clockDriver.advance((nowMs) => nowMs + stepMs);
      return timeOf(context, token, happened);
    },
  }),

  "POST /clock/set": route({
    summary: "Moves time forward to a given time; responds when all due tasks are done.",
    body: z.strictObject({
      now: z
        .string()
        .refine((text) => (fromIso(text) ?? Number.POSITIVE_INFINITY) < END_OF_TIME_MS)
        .meta({
          pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$`,
          description: "A time with its zone, not before the sandbox's current time.",
        }),
    }),
    rules: { now: say`now must be a time like 2026-11-21T12:00:00Z, before the year 9000.` },
    answer: clock,
    async run({ token, body: { now } }, context) {
      const atMs = fromIso(now) ?? 0;
      if (atMs < context.clock.nowMs()) throw notProcessable(NO_WAY_BACK, "now");
      return timeOf(context, token, await context.clockDriver.advance(() => atMs));
    },
  }),

  "POST /clock/freeze": turns("Stops the sandbox's time.", "freeze"),
  "POST /clock/resume": turns("Resumes time from where it is frozen.", "resume"),
};

/** The clock, and what of the happened events concerns the calling integration. */
function timeOf(
  { clock: time }: Context,
  token: string | null,
  happened: readonly TimedEvent[] = [],
) {
  const own = happened.filter((one) => concerns(one.event, token));
  return {
    now: toIso(time.nowMs()),
    mode: time.mode,
    happened: own.map(({ atMs, event }) => {
      const shown = { at: toIso(atMs), kind: event.kind, data: toWireEvent(event) };
      return shown as z.output<typeof timedEvent>;
    }),
  };
}

const NO_WAY_BACK = say`The sandbox's time does not go back. Only a reset or a restore of all integrations sets it back.`;
const NO_END = say`The sandbox's time ends before the year 9000.`;
