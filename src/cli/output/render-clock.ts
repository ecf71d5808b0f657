import type { ChalkInstance } from "chalk";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import type { WireClock, WireTimedEvent } from "../../core/state/wire-routes.ts";
import { aheadOfRealTime } from "../../text/span.ts";
import { localize } from "../terminal/language.ts";
import { toFullTime } from "../terminal/times.ts";
import { type Answer, outcomeOf } from "./render.ts";
import { say } from "../../text/message.ts";

/** How many events are shown, as many as in a list. */
const MAX_SHOWN = 20;

/** Renders the newest events, one per line, and then the time and how far it is from real time. */
export function renderClock({ now, mode, happened }: WireClock, color: ChalkInstance): string {
  const ahead = aheadOfRealTime(Date.parse(now) - Date.now());
  const state = ahead === undefined ? mode : `${mode}, ${localize(ahead)}`;
  const lines = happened.slice(-MAX_SHOWN).map(({ at, ...event }) => {
    const { subject, id, outcome } = describe(event);
    const which = id === undefined ? "" : ` ${id}`;
    return `${color.dim(toFullTime(new Date(at)))}  ${toSafeLine(`${subject}${which}${outcome}`)}`;
  });
  const earlier = happened.length - lines.length;
  const before = earlier > 0 ? [color.dim(describeEarlier(earlier))] : [];
  return [...before, ...lines, `${toFullTime(new Date(now))}  ${color.dim(state)}`].join("\n");
}

function describeEarlier(count: number): string {
  return localize(say`${count} earlier events: --json prints all of them`);
}

/** What an event is about, the id of its record, and what became of it. */
function describe({ kind, data }: Omit<WireTimedEvent, "at">): {
  readonly subject: string;
  readonly id?: string;
  readonly outcome: string;
} {
  if (kind === "reset") return { subject: localize(say`reset`), outcome: "" };
  const { id, type, status, attempt } = data as {
    id: string;
    type?: string;
    status: string;
    attempt?: Answer;
  };
  return {
    subject: type === undefined ? kind : `${kind} ${type}`,
    id,
    outcome: attempt ? `: ${outcomeOf(attempt)}` : ` ${localize(say`is ${status}`)}`,
  };
}
