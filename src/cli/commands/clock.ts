import type { AnswerOf } from "../../http/routes/table.ts";
import { defineCommand, defineGroup, type Run } from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";
import { seconds, freeText } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { type Message, say, verbatim } from "../../text/message.ts";
import { NOUNS, statusWords } from "../../text/terms.ts";
import type { ChalkInstance } from "chalk";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { aheadOfRealTime } from "../../text/duration.ts";
import { toFullTime } from "../terminal/times.ts";
import { type Answer, outcomeOf } from "../output/render.ts";

interface ShownClock {
  readonly now: string;
  readonly mode: string;
  readonly happened: readonly {
    readonly at: string;
    readonly kind: string;
    readonly data: unknown;
  }[];
}

const show = (clock: ShownClock, { io }: Run): string => renderClock(clock, io.color);

/** How the commands that can cause events call their route and show its response. */
const MOVING = {
  around: (send: () => Promise<AnswerOf<"POST /clock/advance">>, { io, json }: Run) => {
    const label = say`Moving the clock`;
    return withProgress(io, { label, isSilent: json }, send);
  },
  show,
};

const showing = defineCommand("clock show", {
  summary: say`show the sandbox's time`,
  route: "GET /clock",
  show,
  examples: ["clock show", "clock show --json"],
});

const advance = defineCommand("clock advance", {
  summary: say`advance time, and wait for every event that becomes due`,
  arguments: {
    seconds: seconds(say`like 500ms, 30s, 5m, 2h or 1d`),
  },
  route: "POST /clock/advance",
  ...MOVING,
  examples: ["clock advance 5m"],
});

const set = defineCommand("clock set", {
  summary: say`advance time to an instant`,
  arguments: {
    now: freeText("time", say`ISO 8601, like 2026-11-21T12:00:00Z`),
  },
  route: "POST /clock/set",
  ...MOVING,
  examples: ["clock set 2026-12-24T18:00:00-03:00"],
});

const freeze = defineCommand("clock freeze", {
  summary: say`freeze time`,
  route: "POST /clock/freeze",
  ...MOVING,
  examples: ["clock freeze"],
});

const resume = defineCommand("clock resume", {
  summary: say`resume time`,
  route: "POST /clock/resume",
  ...MOVING,
  examples: ["clock resume"],
});

export const clockCommand = defineGroup(
  "clock",
  ["clock", "clock advance 5m", "clock freeze", "clock set 2026-12-24T18:00:00-03:00"],
  [showing, advance, set, freeze, resume],
  { isFirstDefault: true },
);

/** How many events are shown, as many as in a list. */
const MAX_SHOWN = 20;
/** How many lines a summary has. */
const MAX_GROUPS = 10;

/**
 * Renders the newest events, one per line, then a summary if there are more, and then the time and how far it is from
 * real time.
 */
export function renderClock({ now, mode, happened }: ShownClock, color: ChalkInstance): string {
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
function summarize(happened: ShownClock["happened"]): string[] {
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
function describe({ kind, data }: Omit<ShownClock["happened"][number], "at">): {
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
    subject: type === undefined ? localize(nounOf(kind)) : `${kind} ${type}`,
    id,
    outcome: attempt
      ? `: ${outcomeOf(attempt)}`
      : ` ${localize(say`is ${statusWords(kind, status)}`)}`,
  };
}

function nounOf(kind: string): Message {
  return (NOUNS as Readonly<Record<string, Message>>)[kind] ?? verbatim(kind);
}
