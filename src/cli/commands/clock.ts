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
import { withEventCount } from "../client/progress.ts";
import { renderClock } from "../output/render-clock.ts";

const show = (clock: WireClock, { io }: Run): string => renderClock(clock, io.color);

/** How the commands that can cause events call their route and show its response. */
const MOVING = {
  around: (send: () => Promise<WireClock>, { io, client, json }: Run) => {
    const label = localize({ en: "Moving the clock", pt: "Avançando o relógio" });
    return withEventCount(io, client, { label, isSilent: json }, send);
  },
  show,
};

const showing = defineCommand("clock show", {
  summary: { en: "show the sandbox's time", pt: "mostra a hora do sandbox" },
  route: SHOW_CLOCK,
  show,
  examples: ["clock show", "clock show --json"],
});

const advance = defineCommand("clock advance", {
  summary: {
    en: "advance time, and wait for every event that becomes due",
    pt: "avança o tempo e espera todos os eventos que vencem",
  },
  arguments: {
    seconds: seconds({ en: "like 500ms, 30s, 5m, 2h or 1d", pt: "como 500ms, 30s, 5m, 2h ou 1d" }),
  },
  route: ADVANCE_CLOCK,
  ...MOVING,
  examples: ["clock advance 5m"],
});

const set = defineCommand("clock set", {
  summary: { en: "advance time to an instant", pt: "avança o tempo até um instante" },
  arguments: {
    now: freeText("time", {
      en: "ISO 8601, like 2026-11-21T12:00:00Z",
      pt: "ISO 8601, como 2026-11-21T12:00:00Z",
    }),
  },
  route: SET_CLOCK,
  ...MOVING,
  examples: ["clock set 2026-12-24T18:00:00-03:00"],
});

const freeze = defineCommand("clock freeze", {
  summary: { en: "freeze time", pt: "congela o tempo" },
  route: FREEZE_CLOCK,
  ...MOVING,
  examples: ["clock freeze"],
});

const resume = defineCommand("clock resume", {
  summary: { en: "resume time", pt: "retoma o tempo" },
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
