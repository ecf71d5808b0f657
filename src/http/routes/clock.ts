import * as z from "zod";
import { invalidFields, notProcessable } from "../../core/errors.ts";
import type { TimedEvent } from "../../core/time/clock-driver.ts";
import { END_OF_TIME_MS, fromIso, toIso } from "../../core/time/timestamp.ts";
import { isEventOf } from "../../core/state/view.ts";
import { toWireEvent } from "../../core/wire.ts";
import { readJson, readOptionalJson } from "../body.ts";
import { type BodyReader, createReader } from "../body-reader.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { type Answer, toListAnswer } from "../answer.ts";
import { readToken } from "../token.ts";

type Handler = (call: Call) => Promise<Answer>;

/** `GET /_sandbox/clock`. */
export function showClock(context: Context): Handler {
  return async () => toClock(context, null, []);
}

/** `POST /_sandbox/clock/advance`: answers when all that fell due has happened. */
export function advanceClock(context: Context): Handler {
  return async (call) => {
    const seconds = await readMember(call, readAdvance);
    if (seconds < 0) throw notProcessable(NO_WAY_BACK, "seconds");
    const stepMs = Math.round(seconds * 1000);
    if (context.clock.nowMs() + stepMs >= END_OF_TIME_MS) throw notProcessable(NO_END, "seconds");
    const happened = await context.clockDriver.advanceBy(stepMs);
    return toClock(context, readToken(call), happened);
  };
}

/** `POST /_sandbox/clock/set`: the same, up to a time. */
export function setClock(context: Context): Handler {
  return async (call) => {
    const atMs = await readMember(call, readSet);
    if (atMs < context.clock.nowMs()) throw notProcessable(NO_WAY_BACK, "now");
    const happened = await context.clockDriver.advanceTo(atMs);
    return toClock(context, readToken(call), happened);
  };
}

/** `POST /_sandbox/clock/freeze` and `/resume`. */
export function turnClock(context: Context, turn: "freeze" | "resume"): Handler {
  return async (call) => {
    await readOptionalJson(call);
    return toClock(context, readToken(call), await context.clockDriver[turn]());
  };
}

function toClock(
  { clock, gateway }: Context,
  token: string | null,
  happened: readonly TimedEvent[],
): Answer {
  const own = happened.filter((one) => isEventOf(one.event, token));
  const toWire = ({ atMs, event: what }: TimedEvent) => {
    const { kind, data } = toWireEvent(what, (integration) => gateway.assumptionsOf(integration));
    return { at: toIso(atMs), kind, data };
  };
  return toListAnswer({ now: toIso(clock.nowMs()), mode: clock.mode, happened: own }, toWire);
}

async function readMember(call: Call, read: BodyReader<number>): Promise<number> {
  const reading = read(await readJson(call));
  if ("fields" in reading) throw invalidFields(reading.fields);
  return reading.draft;
}

/** A year is longer than any expiry and any ladder of retries. */
export const advanceBody = z.object({ seconds: z.number().max(366 * 86_400) });
export const setBody = z.object({
  now: z.string().refine((text) => (fromIso(text) ?? Number.POSITIVE_INFINITY) < END_OF_TIME_MS),
});

const readAdvance = createReader(
  advanceBody,
  {
    seconds: {
      en: "seconds must be a number, at most 31622400.",
      pt: "seconds deve ser um número, no máximo 31622400.",
    },
  },
  ({ seconds }) => seconds,
);

const readSet = createReader(
  setBody,
  {
    now: {
      en: "now must be a time like 2026-11-21T12:00:00Z, before the year 9000.",
      pt: "now deve ser um instante como 2026-11-21T12:00:00Z, antes do ano 9000.",
    },
  },
  ({ now }) => fromIso(now) ?? 0,
);

const NO_WAY_BACK = {
  en: "The sandbox's time does not go back; start a new sandbox instead.",
  pt: "O tempo do sandbox não volta; inicie um novo sandbox.",
};

const NO_END = {
  en: "The sandbox's time ends before the year 9000.",
  pt: "O tempo do sandbox termina antes do ano 9000.",
};
