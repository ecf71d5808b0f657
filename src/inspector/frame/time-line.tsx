import { useMemo, useState } from "preact/hooks";
import { run } from "../state/actions.ts";
import { counted } from "../state/counted.ts";
import { setClock } from "../state/clock-actions.ts";
import { type DueMoment, dueMoments, TimeScale } from "../state/due.ts";
import { t } from "../state/language.ts";
import { activity, clock, nextDue, pulse } from "../state/sandbox.ts";
import { spanOf } from "../parts/now.ts";
import { timeOfDay } from "../parts/zone.ts";
import { type Message, plural, say } from "../../text/message.ts";

/** How many moments have a mark. */
const MAX_DUE = 3;
const MAX_PAST = 3;
/** The place of now: what happened is before it. */
const NOW = 0.22;
/** The steps of the slider. */
const STEPS = 1000;

/** A line of time with what happened and what falls due. Dragging its thumb forward advances the clock. */
export function TimeLine({ now }: { readonly now: number }) {
  const beat = pulse.value;
  const second = Math.floor(now / 1000);
  const moments = useMemo(() => dueMoments(now, MAX_DUE), [beat, second, nextDue.value]);
  const scale = new TimeScale(now, moments, NOW);
  const [place, setPlace] = useState<number>();
  const to = place === undefined ? now : scale.timeAt(place);
  const passed = moments.filter(({ atMs }) => atMs <= to);
  const advance = (): void => {
    if (place !== undefined && place > NOW)
      void run(setClock(new Date(Math.ceil(to)).toISOString()));
    setPlace(undefined);
  };
  return (
    <div>
      <div class="time-line">
        {useMemo(recentTimes, [beat, clock.value]).map(({ at, title }, index) => (
          <span
            key={at}
            class="mark"
            title={title}
            style={styleOf((NOW / (MAX_PAST + 1)) * (MAX_PAST - index), 0)}
          />
        ))}
        {moments.map((moment, index) => (
          <span
            key={`${moment.kind} ${moment.atMs}`}
            class={`cut mark ${moment.atMs <= to ? "passed" : "due"}`}
            style={styleOf(scale.placeOf(index), (1 - NOW) / (moments.length + 1))}
          >
            {t(whatOf(moment))}
            <br />
            {spanOf(moment.atMs - now)}
          </span>
        ))}
        <input
          type="range"
          aria-label={t(say`Advance the clock to`)}
          aria-valuetext={timeOfDay(to)}
          data-testid="time-slider"
          min={0}
          max={STEPS}
          value={Math.round((place ?? NOW) * STEPS)}
          onInput={({ currentTarget }) =>
            setPlace(Math.max(NOW, Number(currentTarget.value) / STEPS))
          }
          onPointerUp={advance}
          onKeyDown={(event) => {
            if (event.key === "Enter") advance();
            // From mark to mark.
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (step === undefined) return;
            event.preventDefault();
            const at = passed.length + step;
            setPlace(at <= 0 ? undefined : scale.placeOf(at - 1));
          }}
          onBlur={() => setPlace(undefined)}
        />
      </div>
      <p class="small-text dim" role="status">
        {place === undefined
          ? t(say`Drag to advance. With the keyboard: arrows, then Enter.`)
          : t(
              plural(
                countOf(passed),
                say`Advances to ${timeOfDay(to)}: ${countOf(passed)} thing happens on the way.`,
                say`Advances to ${timeOfDay(to)}: ${countOf(passed)} things happen on the way.`,
              ),
            )}
      </p>
    </div>
  );
}

const countOf = (moments: readonly DueMoment[]): number =>
  moments.reduce((sum, { count }) => sum + count, 0);

/** Where a mark is: the slider's thumb does not reach the ends. */
function styleOf(place: number, width: number): Readonly<Record<string, string>> {
  return {
    left: `calc(8px + (100% - 16px) * ${place})`,
    ...(width > 0 && { width: `calc((100% - 16px) * ${width})` }),
  };
}

/** The newest times at which something happened. */
function recentTimes(): readonly { readonly at: string; readonly title: string }[] {
  const times = new Set<string>();
  for (const { at } of activity) {
    times.add(at);
    if (times.size === MAX_PAST) break;
  }
  return [...times].map((at) => ({ at, title: timeOfDay(Date.parse(at)) }));
}

function whatOf({ kind, count }: DueMoment): Message {
  switch (kind) {
    case "payin_expires":
      return plural(count, say`${count} expiry`, say`${count} expiries`);
    case "attempt":
      return counted.webhooks(count);
    case "payin_cancels":
      return counted.payins(count);
    case "payout_completes":
    case "payout_cancels":
      return counted.payouts(count);
  }
}
