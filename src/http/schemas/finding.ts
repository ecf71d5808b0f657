import * as z from "zod";
import { ASSUMPTION_NAMES } from "../../core/assumptions/table.ts";
import { VERDICTS } from "../../review/labels.ts";
import { RULE_IDS } from "../../review/rules.ts";
import type { WireReview } from "../../review/report.ts";
import { instant } from "./members.ts";

export const ruleId = z.enum(RULE_IDS);

const evidence = z.object({
  at: instant,
  says: z.string(),
  request: z.string().optional().meta({ description: "The id in `GET /_sandbox/requests`." }),
  delivery: z.string().optional(),
  transaction: z.string().optional(),
  command: z.string().meta({ description: "Shows it, or makes it happen again." }),
});

export const finding = z.object({
  id: ruleId,
  verdict: z.enum(VERDICTS).meta({
    description: "`pending`: the integration still has time to do what is missing.",
  }),
  says: z.string(),
  evidence: z.array(evidence).meta({ description: "The newest, oldest first." }),
  pending_ms: z.int().optional().meta({
    description: "Of a pending rule: how long it may take until the verdict, in real time.",
  }),
  implied_by: ruleId.optional().meta({
    description: "The broken rule that can be the only reason for this one.",
  }),
  depends_on: z.array(z.enum(ASSUMPTION_NAMES)).optional().meta({
    description: "Of a broken rule: the assumptions that the verdict depends on.",
  }),
});

const usedAssumption = z.object({
  name: z.enum(ASSUMPTION_NAMES),
  choice: z.string(),
  question: z.string().meta({ description: "What to ask the provider." }),
});

/** The response of `GET /_sandbox/report`. */
export const review = z
  .object({ rules: z.array(finding), assumptions: z.array(usedAssumption) })
  .meta({
    id: "Review",
    description:
      "The verdict on each rule, and the assumptions that the run depended on. The texts are in English, or in Portuguese if the call has the header `x-sandbox-language: pt`.",
  }) satisfies z.ZodType<WireReview>;
