import * as z from "zod";
import { ASSUMPTION_NAMES } from "../../core/assumptions/table.ts";
import { VERDICTS } from "../../review/labels.ts";
import { RULE_IDS } from "../../review/rules.ts";
import type { WireReview } from "../../review/report.ts";
import { count, instant } from "./members.ts";

export const ruleId = z.enum(RULE_IDS);
const assumption = z.enum(ASSUMPTION_NAMES);

const evidence = z.object({
  at: instant,
  says: z.string(),
  request: z.string().optional().describe("The id in `GET /_sandbox/requests`."),
  delivery: z.string().optional(),
  transaction: z.string().optional(),
  command: z.string().describe("Shows it, or makes it happen again."),
});

const finding = z.object({
  id: ruleId,
  verdict: z.enum(VERDICTS).describe("`pending`: there is still time to do what is missing."),
  says: z.string(),
  evidence: z.array(evidence).describe("The newest, oldest first."),
  pending_ms: count.optional().describe("The real time until a pending rule is decided."),
  implied_by: ruleId.optional().describe("The broken rule that can be the only reason."),
  depends_on: z.array(assumption).optional().describe("What the verdict depends on."),
});

/** The response of `GET /_sandbox/report`. */
export const review = z
  .object({
    rules: z.array(finding),
    assumptions: z.array(
      z.object({
        name: assumption,
        choice: z.string(),
        question: z.string().describe("What to ask the provider."),
      }),
    ),
  })
  .meta({
    id: "Review",
    description:
      "The verdict on each rule, and the assumptions that the run depended on. The texts are in English, or in Portuguese if the call has the header `x-sandbox-language: pt`.",
  }) satisfies z.ZodType<WireReview>;
