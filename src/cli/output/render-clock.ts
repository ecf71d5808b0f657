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
/** How many lines a summary has. */
const MAX_GROUPS = 10;

/**
 * Renders the newest events, one per line, then a summary if there are more, and then the time and how far it is from
 * real time.
 */
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
  const summary = earlier > 0 ? summarize(happened) : [];
  return [
    ...before,
    ...lines,
    ...summary,
    `${toFullTime(new Date(now))}  ${color.dim(state)}`,
  ].join("\n");
}

function describeEarlier(count: number): string {
  return localize(say`${count} earlier events: --json prints all of them`);
}

/** The number of events of each kind and outcome, the most frequent ones first. */
function summarize(happened: readonly WireTimedEvent[]): string[] {
  const counts = new Map<string, number>();
  for (const event of happened) {
    const { subject, outcome } = describe(event);
    const group = toSafeLine(`${subject}${outcome}`);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const groups = [...counts].toSorted(([, one], [, other]) => other - one);
  const others = groups.slice(MAX_GROUPS).reduce((sum, [, count]) => sum + count, 0);
  const rows = groups.slice(0, MAX_GROUPS);
  if (others > 0) rows.push([localize(say`others`), others]);
  const width = String(happened.length).length;
  return [
    localize(say`${happened.length} events:`),
    ...rows.map(([group, count]) => `  ${String(count).padStart(width)}  ${group}`),
  ];
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
