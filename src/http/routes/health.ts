import * as z from "zod";
import { VERSION } from "../../wire/names.ts";
import { SHOW_HEALTH, SHOW_READINESS } from "../../core/state/wire-routes.ts";
import type { Answer } from "../calls/answer.ts";
import { answerHealth, answerReady } from "../context/health.ts";
import { defineRoute } from "../definitions/route.ts";
import { clockMode, instant } from "../schemas/members.ts";
import { TIME } from "../schemas/samples.ts";

const health = z
  .object({
    status: z.literal("ok"),
    version: z.string(),
  })
  .meta({
    id: "Health",
    description: "The sandbox runs.",
    examples: [{ status: "ok", version: VERSION }],
  });

const degradedHealth = z.object({ status: z.literal("degraded"), version: z.string() }).meta({
  id: "DegradedHealth",
  description:
    "The sandbox cannot store its state: changes are refused with 503 until it can; reads still work.",
  examples: [{ status: "degraded", version: VERSION }],
});

const standing = z.object({ ready: z.literal(true), version: z.string() });

const choices = z.record(z.string(), z.union([z.string(), z.int().min(0)]));

const readiness = standing
  .extend({
    state_file: z.string().nullable().meta({
      description: "A file, or the address of a database without its password; null: in memory.",
    }),
    now: instant.meta({ description: "The sandbox's time." }),
    mode: clockMode,
    ahead_seconds: z.int().meta({ description: "How far its time is ahead of real time." }),
    faults: z.int().meta({ description: "How many faults are armed." }),
    assumptions: choices.meta({ description: "The choices other than the default." }),
    integration_assumptions: z.record(z.string(), choices).meta({
      description:
        "The choices that integrations changed for themselves, by their tokens. Absent without any.",
    }),
    webhook_configurations: z.int().meta({
      description: "How many integrations have a webhook configuration. Absent without any.",
    }),
  })
  .partial()
  .required({ ready: true, version: true })
  .meta({
    id: "Readiness",
    description:
      "Calls should be sent to this process. A protected sandbox shows the optional members only with its control token.",
    examples: [
      {
        ready: true,
        version: VERSION,
        state_file: null,
        now: TIME,
        mode: "real",
        ahead_seconds: 0,
        faults: 0,
        assumptions: {},
      },
    ],
  });

const noReadiness = standing.extend({ ready: z.literal(false) }).meta({
  id: "NoReadiness",
  description:
    "Calls should not be sent to this process: another one uses the state, or this one cannot store changes.",
  examples: [{ ready: false, version: VERSION }],
});

export const routes = [
  defineRoute({
    at: SHOW_HEALTH,
    id: "health",
    tag: "Sandbox",
    summary: "Reports that the sandbox runs and whether it accepts changes.",
    answer: health,
    otherAnswers: { 503: degradedHealth },
    isOpen: true,
    isOfProcess: true,
    handle: answerHealth as Handle<typeof answerHealth, typeof health>,
  }),
  defineRoute({
    at: SHOW_READINESS,
    id: "ready",
    tag: "Sandbox",
    summary:
      "Reports whether the sandbox accepts changes. With the control token, if there is one, also how the sandbox is set.",
    answer: readiness,
    otherAnswers: { 503: noReadiness },
    isOpen: true,
    isOfProcess: true,
    handle: answerReady as Handle<typeof answerReady, typeof readiness>,
  }),
];

type Handle<Answering extends (...call: never[]) => unknown, Schema extends z.ZodType> = (
  ...call: Parameters<Answering>
) => Promise<Answer<z.output<Schema>>>;
