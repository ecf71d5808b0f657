import type { Action } from "./actions.ts";
import { t } from "./language.ts";
import { resetAction } from "./reset.ts";
import { clock } from "./sandbox.ts";
import type { WireTask } from "./wire.ts";
import { say } from "../../text/message.ts";

export interface ClockAction extends Action {
  /** Whether it has nothing to do. */
  readonly isIdle?: boolean;
}

/** The actions that move the clock. The clock belongs to the server: they act on all integrations. */
export function clockActions(next: WireTask | null): readonly ClockAction[] {
  const isFrozen = clock.value.mode === "frozen";
  return [
    advance("+1 min", 60, "1m"),
    advance("+1 h", 3600, "1h"),
    { ...setClock(next?.at ?? ""), label: t(say`To the next`), isIdle: next === null },
    {
      label: isFrozen ? t(say`Let time run`) : t(say`Freeze`),
      method: "POST",
      path: isFrozen ? "/clock/resume" : "/clock/freeze",
      command: ["clock", isFrozen ? "resume" : "freeze"],
      integration: null,
    },
  ];
}

function advance(label: string, seconds: number, duration: string): ClockAction {
  return {
    label,
    method: "POST",
    path: "/clock/advance",
    body: { seconds },
    command: ["clock", "advance", duration],
    integration: null,
  };
}

/** Sets the clock to a later time. */
export function setClock(now: string): ClockAction {
  return {
    label: t(say`Advance`),
    method: "POST",
    path: "/clock/set",
    body: { now },
    command: ["clock", "set", now],
    integration: null,
  };
}

/** Sets the clock to the real time. The sandbox's time goes back only with a reset. */
export function backToRealTime(aheadMs: number): ClockAction {
  const action = aheadMs < 0 ? setClock(new Date().toISOString()) : resetAction(null);
  return { ...action, label: t(say`Back to real time`) };
}
