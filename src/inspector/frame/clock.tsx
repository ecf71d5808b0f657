import { aheadOfRealTime, toSpan } from "../../text/duration.ts";
import { TimeLine } from "./time-line.tsx";
import { run } from "../state/actions.ts";
import { backToRealTime, clockActions } from "../state/clock-actions.ts";
import { t } from "../state/language.ts";
import { toFragment } from "../state/place.ts";
import { clock, nextDue } from "../state/sandbox.ts";
import type { WireTask } from "../state/wire.ts";
import { EquivalentsButton } from "../parts/action.tsx";
import { Floating } from "../parts/floating.tsx";
import { ICONS, Icon } from "../parts/icon.tsx";
import { until, useNow } from "../parts/now.ts";
import { timeOfDay, toLongTime } from "../parts/zone.ts";
import { shortId } from "../parts/text.tsx";
import { type Message, say } from "../../text/message.ts";

/** The sandbox's clock: a button with its time, which opens what moves it. */
export function Clock() {
  return (
    <Floating title={t(say`Clock`)} class="clock-button" testId="clock" button={<Face />}>
      {() => <Panel />}
    </Floating>
  );
}

function Face() {
  const now = useNow();
  const aheadMs = now - Date.now();
  return (
    <>
      <Icon path={ICONS.clock} />
      <time dateTime={new Date(now).toISOString()}>{timeOfDay(now)}</time>
      <span class="dim nowrap roomy">{shiftOf(aheadMs)}</span>
    </>
  );
}

/** How far the clock is from real time, in few words. */
function shiftOf(aheadMs: number): string {
  if (clock.value.mode === "frozen") return t(say`frozen`);
  if (!aheadOfRealTime(aheadMs)) return "";
  return (aheadMs > 0 ? "+" : "−") + toSpan(Math.abs(aheadMs));
}

function Panel() {
  const now = useNow();
  const { mode } = clock.value;
  const next = nextDue.value;
  const aheadMs = now - Date.now();
  const ahead = aheadOfRealTime(aheadMs);
  const actions = clockActions(next);
  return (
    <section class="clock" aria-label={t(say`Clock`)}>
      <p class="clock-head">
        <time data-testid="clock-now" dateTime={new Date(now).toISOString()}>
          {toLongTime(now)}
        </time>
        <span class="dim">
          <span data-testid="clock-mode">{mode === "real" ? t(say`running`) : t(say`frozen`)}</span>
          {ahead && (
            <>
              {" · "}
              <span data-testid="clock-ahead">{t(ahead)}</span>
            </>
          )}
        </span>
      </p>
      <TimeLine now={now} />
      <p class="dim" data-testid="next-due">
        {next ? (
          <>
            {t(say`Next: `)}
            <a href={linkOf(next)}>
              {t(DUE[next.kind])} {shortId(next.id)}
            </a>{" "}
            {until(Date.parse(next.at) - now)}
          </>
        ) : (
          t(say`Nothing is due.`)
        )}
      </p>
      <div class="buttons">
        {actions.map((action, index) => (
          // Each button stays the same one, so that it keeps the focus.
          <button
            key={index}
            type="button"
            aria-disabled={action.isIdle}
            onClick={() => !action.isIdle && void run(action)}
          >
            {action.label}
          </button>
        ))}
        <EquivalentsButton actions={actions.filter(({ isIdle }) => !isIdle)} />
      </div>
      {ahead && (
        <button type="button" class="bare" onClick={() => void run(backToRealTime(aheadMs))}>
          {t(say`Back to real time`)}
        </button>
      )}
    </section>
  );
}

const DUE: Readonly<Record<WireTask["kind"], Message>> = {
  payin_expires: say`expiry of payin`,
  payin_cancels: say`cancellation of payin`,
  payout_completes: say`completion of payout`,
  payout_cancels: say`cancellation of payout`,
  attempt: say`webhook`,
};

function linkOf({ kind, id }: WireTask): string {
  if (kind === "attempt") return toFragment({ pane: "webhooks", id });
  return toFragment({ pane: kind.startsWith("payin") ? "payins" : "payouts", id });
}
