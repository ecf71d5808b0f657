import * as z from "zod";
import { invalidFields, notProcessable } from "../../core/records/errors.ts";
import { isEventOf } from "../../core/state/view.ts";
import type { TimedEvent } from "../../core/operations/clock-driver.ts";
import { DUE_TASKS } from "../../core/time/scheduler.ts";
import { END_OF_TIME_MS, fromIso, toIso } from "../../wire/timestamp.ts";
import { toWireEvent, toWireTask } from "../../core/state/wire.ts";
import {
  ADVANCE_CLOCK,
  FREEZE_CLOCK,
  RESUME_CLOCK,
  type WireRoute,
  SETTLE,
  SET_CLOCK,
  SHOW_CLOCK,
  SHOW_NEXT_TASK,
} from "../../core/state/wire-routes.ts";
import { toAnswer, toListAnswer } from "../calls/answer.ts";
import { type BodyReader, createReader } from "../parse/readers.ts";
import { readJson, readOptionalJson } from "../parse/body.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { readToken } from "../calls/headers.ts";
import { defineRoute, fixedBody } from "../definitions/route.ts";
import { timedEvent, timedEventExample } from "../schemas/event.ts";
import { clockMode, instant, integration } from "../schemas/members.ts";
import { PAYIN_ID, TIME } from "../schemas/samples.ts";
import { say } from "../../text/message.ts";

const clock = z.object({ now: instant, mode: clockMode, happened: z.array(timedEvent) }).meta({
  id: "Clock",
  description: "The sandbox's time, and the events that moving it caused, in order.",
  examples: [{ now: TIME, mode: "frozen", happened: [timedEventExample] }],
});

const settled = z.object({ settled: z.literal(true), now: instant, mode: clockMode }).meta({
  id: "Settled",
  description: "Nothing is in flight or due at `now`.",
  examples: [{ settled: true, now: TIME, mode: "frozen" }],
});

const nextTask = z
  .object({
    next: z
      .object({
        at: instant,
        kind: z.enum(DUE_TASKS),
        id: z.string().meta({ description: "Of the payin, the payout or the delivery." }),
        integration,
      })
      .nullable()
      .meta({ description: "Null if nothing is due, whatever time passes." }),
  })
  .meta({
    id: "NextTask",
    description:
      "The next thing that happens as time passes: a payin or payout changes its status, or a webhook is sent.",
    examples: [
      { next: { at: TIME, kind: "payin_expires", id: PAYIN_ID, integration: "shop" } },
      { next: null },
    ],
  });

/** A year is longer than any expiry and any series of retries. */
const advanceBody = z.object({
  seconds: z
    .number()
    .max(366 * 86_400)
    .meta({
      description: "How many seconds to advance; the sandbox's time does not go back.",
    }),
});

const setBody = z.object({
  now: z
    .string()
    .refine((text) => (fromIso(text) ?? Number.POSITIVE_INFINITY) < END_OF_TIME_MS)
    .meta({
      pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$`,
      description: "A time with its zone, not before the sandbox's current time.",
    }),
});

/** A route that stops or starts the clock. */
const turnClock = (turn: "freeze" | "resume", at: WireRoute, summary: string) =>
  defineRoute({
    at,
    id: `${turn}Clock`,
    tag: "Clock",
    summary,
    caller: "integration",
    answer: clock,
    refusals: ["unwritable"],
    handle: async (call, context) => {
      await readOptionalJson(call);
      return toClock(context, readToken(call), await context.clockDriver[turn]());
    },
  });

export const routes = [
  defineRoute({
    at: SHOW_CLOCK,
    id: "showClock",
    tag: "Clock",
    summary: "Shows the sandbox's time; `happened` is empty.",
    answer: clock,
    handle: async (_call, context) => toClock(context, null, []),
  }),

  defineRoute({
    at: SHOW_NEXT_TASK,
    id: "showNextTask",
    tag: "Clock",
    summary: "Shows what happens next, and when.",
    caller: "integration",
    answer: nextTask,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      const task = await gateway.nextTask(readToken(call));
      return toAnswer({ next: task ? toWireTask(task) : null });
    },
  }),

  defineRoute({
    at: ADVANCE_CLOCK,
    id: "advanceClock",
    tag: "Clock",
    summary: "Moves time forward by some seconds; responds when all due tasks are done.",
    caller: "integration",
    body: fixedBody("ClockAdvance", advanceBody, { five_minutes: { seconds: 300 } }),
    answer: clock,
    refusals: ["noWayBack", "unwritable"],
    handle: async (call, context) => {
      const seconds = await readMember(call, readAdvance);
      if (seconds < 0) throw notProcessable(NO_WAY_BACK, "seconds");
      const stepMs = Math.round(seconds * 1000);
      if (context.clock.nowMs() + stepMs >= END_OF_TIME_MS) throw notProcessable(NO_END, "seconds");
      return toClock(context, readToken(call), await context.clockDriver.advanceBy(stepMs));
    },
  }),

  defineRoute({
    at: SET_CLOCK,
    id: "setClock",
    tag: "Clock",
    summary: "Moves time forward to a given time; responds when all due tasks are done.",
    caller: "integration",
    body: fixedBody("ClockSetting", setBody, { noon: { now: "2026-11-21T12:00Z" } }),
    answer: clock,
    refusals: ["noWayBack", "unwritable"],
    handle: async (call, context) => {
      const atMs = await readMember(call, readSet);
      if (atMs < context.clock.nowMs()) throw notProcessable(NO_WAY_BACK, "now");
      return toClock(context, readToken(call), await context.clockDriver.advanceTo(atMs));
    },
  }),

  turnClock("freeze", FREEZE_CLOCK, "Stops the sandbox's time."),
  turnClock("resume", RESUME_CLOCK, "Resumes time from where it is frozen."),

  defineRoute({
    at: SETTLE,
    id: "settle",
    tag: "Webhooks",
    summary: "Responds when no webhook is in flight or due.",
    caller: "integration",
    answer: settled,
    refusals: ["unwritable"],
    handle: async (call, context) => {
      await readOptionalJson(call);
      await context.clockDriver.settle(readToken(call));
      const { mode } = context.clock;
      return toAnswer({ settled: true as const, now: toIso(context.clock.nowMs()), mode });
    },
  }),
];

function toClock(context: Context, token: string | null, happened: readonly TimedEvent[]) {
  const { gateway } = context;
  const own = happened.filter((one) => isEventOf(one.event, token));
  const toWire = ({ atMs, event }: TimedEvent) => ({
    at: toIso(atMs),
    ...toWireEvent(event, (owner) => gateway.assumptionsOf(owner)),
  });
  return toListAnswer(
    { now: toIso(context.clock.nowMs()), mode: context.clock.mode, happened: own },
    toWire,
  );
}

async function readMember(call: Call, read: BodyReader<number>): Promise<number> {
  const reading = read(await readJson(call));
  if ("fields" in reading) throw invalidFields(reading.fields);
  return reading.draft;
}

const readAdvance = createReader(
  advanceBody,
  {
    seconds: say`seconds must be a number, at most 31622400.`,
  },
  ({ seconds }) => seconds,
);

const readSet = createReader(
  setBody,
  {
    now: say`now must be a time like 2026-11-21T12:00:00Z, before the year 9000.`,
  },
  ({ now }) => fromIso(now) ?? 0,
);

const NO_WAY_BACK = say`The sandbox's time does not go back. Only a reset or a restore of all integrations sets it back.`;

const NO_END = say`The sandbox's time ends before the year 9000.`;
