import {
  ADVANCE_CLOCK,
  FREEZE_CLOCK,
  RESUME_CLOCK,
  SET_CLOCK,
  SHOW_CLOCK,
  type WireClock,
} from "../../core/state/wire-routes.ts";
import { defineCommand, defineGroup, type Run } from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";
import { seconds, freeText } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { renderClock } from "../output/render-clock.ts";
import { say } from "../../text/message.ts";

const show = (clock: WireClock, { io }: Run): string => renderClock(clock, io.color);

/** How the commands that can cause events call their route and show its response. */
const MOVING = {
  around: (send: () => Promise<WireClock>, { io, json }: Run) => {
    const label = localize(say`Moving the clock`);
    return withProgress(io, { label, isSilent: json }, send);
  },
  show,
};

const showing = defineCommand("clock show", {
  summary: say`show the sandbox's time`,
  route: SHOW_CLOCK,
  show,
  examples: ["clock show", "clock show --json"],
});

const advance = defineCommand("clock advance", {
  summary: say`advance time, and wait for every event that becomes due`,
  arguments: {
    seconds: seconds(say`like 500ms, 30s, 5m, 2h or 1d`),
  },
  route: ADVANCE_CLOCK,
  ...MOVING,
  examples: ["clock advance 5m"],
});

const set = defineCommand("clock set", {
  summary: say`advance time to an instant`,
  arguments: {
    now: freeText("time", say`ISO 8601, like 2026-11-21T12:00:00Z`),
  },
  route: SET_CLOCK,
  ...MOVING,
  examples: ["clock set 2026-12-24T18:00:00-03:00"],
});

const freeze = defineCommand("clock freeze", {
  summary: say`freeze time`,
  route: FREEZE_CLOCK,
  ...MOVING,
  examples: ["clock freeze"],
});

const resume = defineCommand("clock resume", {
  summary: say`resume time`,
  route: RESUME_CLOCK,
  ...MOVING,
  examples: ["clock resume"],
});

export const clockCommand = defineGroup(
  "clock",
  ["clock", "clock advance 5m", "clock freeze", "clock set 2026-12-24T18:00:00-03:00"],
  [showing, advance, set, freeze, resume],
  { isFirstDefault: true },
);
