import { PROGRAM } from "../../platform/program.ts";
import * as z from "zod";
import { ASSUMPTION_NAMES, ASSUMPTIONS } from "../../core/assumptions/table.ts";
import { VERDICTS } from "../../review/labels.ts";
import { RULE_IDS, ruleOf } from "../../review/rules.ts";
import type { WireReview } from "../../review/report.ts";
import { english } from "../../text/languages.ts";
import { instant } from "./members.ts";
import { EVENT_ID, PAYIN_ID, TIME, WEBHOOK_URL } from "./samples.ts";

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

export const reviewExample: WireReview = {
  rules: [
    {
      id: "webhook_answer_not_200",
      verdict: "warning",
      says: english(ruleOf("webhook_answer_not_200").mistake),
      evidence: [
        {
          at: TIME,
          says: `Attempt 1 of ${EVENT_ID} (payin.paid) to ${WEBHOOK_URL}: 204 after 0.1 s.`,
          delivery: EVENT_ID,
          transaction: PAYIN_ID,
          command: `${PROGRAM} webhooks resend ${EVENT_ID}`,
        },
      ],
    },
  ],
  assumptions: [
    {
      name: "webhook.success",
      choice: "2xx",
      question: english(ASSUMPTIONS["webhook.success"].question),
    },
  ],
};

/** The response of `GET /_sandbox/report`. */
export const review = z
  .object({ rules: z.array(finding), assumptions: z.array(usedAssumption) })
  .meta({
    id: "Review",
    description:
      "The verdict on each rule, and the assumptions that the run depended on. The texts are in English, or in Portuguese if the call has the header `x-sandbox-language: pt`.",
    examples: [reviewExample],
  }) satisfies z.ZodType<WireReview>;
