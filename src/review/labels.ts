import { type Message, plural, say } from "../text/message.ts";

/** What a rule's judgment can be, worst first. `pending`: what looks like a mistake may still be mended. */
export const VERDICTS = ["fail", "warning", "pending", "pass", "not_seen"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The words of every form of the report. */
export const LABELS = {
  title: say`Integration review`,
  fail: say`Failure`,
  warning: say`Warning`,
  pending: say`Pending`,
  harm: say`What it costs`,
  change: say`What to change`,
  passed: say`Passed`,
  ignored: say`Ignored`,
} satisfies Record<string, Message>;

/** A verdict as a word in a sentence. */
export const VERDICT_WORDS = {
  fail: say`failure`,
  warning: say`warning`,
  pending: say`pending`,
  pass: say`passed`,
  not_seen: say`not seen`,
} satisfies Record<Verdict, Message>;

/** How many rules have a verdict, such as `2 failures`. */
export const COUNTED: Readonly<Record<Verdict | "ignored", (count: number) => Message>> = {
  fail: (count) => plural(count, say`${count} failure`, say`${count} failures`),
  warning: (count) => plural(count, say`${count} warning`, say`${count} warnings`),
  pending: (count) => plural(count, say.for("one")`${count} pending`, say`${count} pending`),
  pass: (count) => plural(count, say.for("one")`${count} passed`, say`${count} passed`),
  not_seen: (count) => plural(count, say.for("one")`${count} not seen`, say`${count} not seen`),
  ignored: (count) => plural(count, say.for("one")`${count} ignored`, say`${count} ignored`),
};
