import { useRef } from "preact/hooks";
import { aheadOfRealTime } from "../../text/span.ts";
import { type Action, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { toFragment } from "../state/place.ts";
import { clock, nextDue } from "../state/sandbox.ts";
import type { WireTask } from "../state/wire.ts";
import { Equivalents } from "../parts/action.tsx";
import { until, useNow } from "../parts/now.ts";
import { toLongTime } from "../parts/zone.ts";
import { shortId } from "../parts/text.tsx";
import { type Message, say } from "../../text/message.ts";

/** The sandbox's clock, what falls due next, and the buttons that move time. It is always visible. */
export function ClockBar() {
  const now = useNow();
  const { mode } = clock.value;
  const next = nextDue.value;
  const ahead = aheadOfRealTime(now - Date.now());
  const actions = clockActions(next);
  return (
    <section class="clock" aria-label={t(say`Clock`)}>
      <span class="clock-now">
        <time data-testid="clock-now" dateTime={new Date(now).toISOString()}>
          {toLongTime(now)}
        </time>{" "}
        <span class={`mode ${mode}`} data-testid="clock-mode">
          {mode === "real" ? t(say`running`) : t(say`frozen`)}
        </span>
        {ahead && (
          <>
            {" "}
            <span class="mode" data-testid="clock-ahead">
              {t(ahead)}
            </span>
          </>
        )}
      </span>
      <span class="next-due" data-testid="next-due">
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
      </span>
      <span class="buttons">
        {actions.map((action, index) => (
          // Each button stays the same one, so that it keeps the focus.
          <button
            key={index}
            type="button"
            class="small"
            aria-disabled={action.isIdle}
            onClick={() => !action.isIdle && void run(action)}
          >
            {action.label}
          </button>
        ))}
      </span>
      <Commands actions={actions} />
    </section>
  );
}

/** The commands that do the same as the buttons. A dialog: in the bar they would leave no space for the list. */
function Commands({ actions }: { readonly actions: readonly ClockAction[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = t(say`Equivalent commands`);
  return (
    <>
      <button type="button" class="small" onClick={() => dialog.current?.showModal()}>
        {t(say`Commands`)}
      </button>
      <dialog ref={dialog} aria-label={title} data-testid="clock-commands">
        {actions
          .filter(({ isIdle }) => !isIdle)
          .map((action) => (
            <Equivalents key={action.label} action={action} />
          ))}
        <form method="dialog">
          <button type="submit">{t(say`Close`)}</button>
        </form>
      </dialog>
    </>
  );
}

interface ClockAction extends Action {
  /** Whether it has nothing to do. */
  readonly isIdle?: boolean;
}

/** The actions that move the clock. The clock belongs to the server: they act on all integrations. */
function clockActions(next: WireTask | null): readonly ClockAction[] {
  const advance = (label: string, seconds: number, duration: string): ClockAction => ({
    label,
    method: "POST",
    path: "/clock/advance",
    body: { seconds },
    command: ["clock", "advance", duration],
    integration: null,
  });
  const isFrozen = clock.value.mode === "frozen";
  return [
    advance("+1 min", 60, "1m"),
    advance("+1 h", 3600, "1h"),
    {
      label: t(say`To the next`),
      method: "POST",
      path: "/clock/set",
      body: { now: next?.at },
      command: ["clock", "set", next?.at ?? ""],
      integration: null,
      isIdle: next === null,
    },
    {
      label: isFrozen ? t(say`Resume`) : t(say`Freeze`),
      method: "POST",
      path: isFrozen ? "/clock/resume" : "/clock/freeze",
      command: ["clock", isFrozen ? "resume" : "freeze"],
      integration: null,
    },
  ];
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
