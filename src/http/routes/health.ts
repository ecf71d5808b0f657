import * as z from "zod";
import type { Role } from "../../core/state/ports.ts";
import { VERSION } from "../../wire/version.ts";
import { SHOW_HEALTH, SHOW_READINESS } from "../../core/state/wire-routes.ts";
import type { Answer } from "../calls/answer.ts";
import { answerHealth, answerReady } from "../context/health.ts";
import { defineRoute } from "../definitions/route.ts";

const role = z.enum(["leader", "standby"] satisfies Role[]).meta({
  description: "Of several processes with the same state, only the leader answers other calls.",
});

const health = z
  .object({
    status: z.literal("ok"),
    version: z.string(),
    role: role.optional().meta({ description: "Absent unless several processes share the state." }),
  })
  .meta({
    id: "Health",
    description: "The sandbox runs.",
    examples: [{ status: "ok", version: VERSION }],
  });

const degradedHealth = z
  .object({ status: z.literal("degraded"), version: z.string(), role: role.optional() })
  .meta({
    id: "DegradedHealth",
    description:
      "The sandbox cannot store its state: changes are refused with 503 until it can; reads still work.",
    examples: [{ status: "degraded", version: VERSION }],
  });

const readiness = z.object({ ready: z.literal(true), version: z.string(), role }).meta({
  id: "Readiness",
  description: "Calls should be sent to this process.",
  examples: [{ ready: true, version: VERSION, role: "leader" }],
});

const noReadiness = readiness.extend({ ready: z.literal(false) }).meta({
  id: "NoReadiness",
  description:
    "Calls should not be sent to this process: another one leads, or this one cannot store changes.",
  examples: [{ ready: false, version: VERSION, role: "standby" }],
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
    handle: answerHealth as Handle<typeof health>,
  }),
  defineRoute({
    at: SHOW_READINESS,
    id: "ready",
    tag: "Sandbox",
    summary:
      "Reports whether calls should be sent to this process: to the leader that accepts changes.",
    answer: readiness,
    otherAnswers: { 503: noReadiness },
    isOpen: true,
    isOfProcess: true,
    handle: answerReady as Handle<typeof readiness>,
  }),
];

type Handle<Schema extends z.ZodType> = (
  ...call: Parameters<typeof answerHealth>
) => Promise<Answer<z.output<Schema>>>;
