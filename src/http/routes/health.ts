import * as z from "zod";
import { VERSION } from "../../core/version.ts";
import { type Answer } from "../answers/answer.ts";
import { answerHealth } from "../health.ts";
import { defineRoute } from "../route.ts";

const health = z.object({ status: z.literal("ok"), version: z.string() }).meta({
  id: "Health",
  description: "The sandbox is ready.",
  examples: [{ status: "ok", version: VERSION }],
});

const degradedHealth = z.object({ status: z.literal("degraded"), version: z.string() }).meta({
  id: "DegradedHealth",
  description:
    "The sandbox cannot write its state file: changes are refused with 503 until it can; reads still work.",
  examples: [{ status: "degraded", version: VERSION }],
});

export const routes = [
  defineRoute({
    path: "/_sandbox/health",
    method: "GET",
    id: "health",
    tag: "Sandbox",
    summary: "Reports that the sandbox is ready and whether it accepts changes.",
    answer: health,
    otherAnswers: { 503: degradedHealth },
    isOpen: true,
    handle: answerHealth as (
      ...call: Parameters<typeof answerHealth>
    ) => Promise<Answer<z.output<typeof health>>>,
  }),
];
