import { type Message, say } from "../text/message.ts";

/** The words of every form of the report. */
export const LABELS = {
  title: say`Integration review`,
  fail: say`Failure`,
  warning: say`Warning`,
  harm: say`What it costs`,
} satisfies Record<string, Message>;
