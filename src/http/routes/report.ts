import * as z from "zod";
import { toJunit } from "../../review/junit.ts";
import { toMarkdown } from "../../review/markdown.ts";
import { PROGRAM } from "../../platform/program.ts";
import { toWireReview, type WireReview } from "../../review/report.ts";
import { toWireRules, type WireRule } from "../../review/rule-texts.ts";
import { CLEAR_REPORT, LIST_RULES, SHOW_REPORT } from "../../core/state/wire-routes.ts";
import { type Answer, toAnswer, toJsonAnswer } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { readOptionalJson } from "../parse/body.ts";
import { readToken, requestedLanguage } from "../calls/headers.ts";
import { readQuery } from "../parse/query.ts";
import { defineRoute } from "../definitions/route.ts";
import { review, reviewExample, ruleId } from "../schemas/finding.ts";
import { listOf } from "../schemas/members.ts";

const ruleTable = listOf(
  z.object({
    id: ruleId,
    number: z.int(),
    mistake: z.string().meta({ description: "As a sentence about the integration." }),
    harm: z.string().meta({ description: "What the mistake costs." }),
    change: z.string().meta({ description: "What to change, in a sentence." }),
  }) satisfies z.ZodType<WireRule>,
  {
    id: "RuleTable",
    description:
      "Every rule of the report, in the order of their numbers. The texts are in English, or in Portuguese if the call has the header `x-sandbox-language: pt`.",
    example: toWireRules("en").find(({ id }) => id === "webhook_answer_not_200"),
  },
);

const query = z.strictObject({
  format: z.enum(["json", "junit", "markdown"]).default("json").meta({
    description: "`junit` is XML, `markdown` a comment for a pull request.",
  }),
  final: z.stringbool().default(false).meta({
    description: "Whether the integration makes no more calls: what is pending is then decided.",
  }),
});

function reviewOf(call: Call, { reviewer, gateway }: Context, isOver = false): WireReview {
  const assumptionsOf: typeof gateway.assumptionsOf = (integration) =>
    gateway.assumptionsOf(integration);
  const seen = reviewer.review(readToken(call), assumptionsOf, { isOver });
  return toWireReview(seen, requestedLanguage(call) ?? "en", PROGRAM);
}

export const routes = [
  defineRoute({
    at: SHOW_REPORT,
    id: "showReport",
    tag: "Sandbox",
    summary:
      "Judges the integration, or all of them, by what they have done since the sandbox started. A reset does not change the verdicts.",
    caller: "integration",
    query,
    answer: review,
    otherTypes: {
      "application/xml": toJunit(reviewExample),
      "text/markdown": toMarkdown(reviewExample, "en"),
    },
    handle: async (call, context): Promise<Answer<WireReview>> => {
      const { format, final } = readQuery(call, query);
      const wire = reviewOf(call, context, final);
      const language = requestedLanguage(call) ?? "en";
      if (format === "junit")
        return toJsonAnswer(toJunit(wire), { "content-type": "application/xml" });
      if (format === "markdown")
        return toJsonAnswer(toMarkdown(wire, language), {
          "content-type": "text/markdown; charset=utf-8",
        });
      return toAnswer(wire);
    },
  }),
  defineRoute({
    at: CLEAR_REPORT,
    id: "clearReport",
    tag: "Sandbox",
    summary: "Forgets what the integration, or all of them, have done: the report starts anew.",
    caller: "integration",
    answer: review,
    handle: async (call, context) => {
      await readOptionalJson(call);
      context.reviewer.clear(readToken(call));
      return toAnswer(reviewOf(call, context));
    },
  }),
  defineRoute({
    at: LIST_RULES,
    id: "listRules",
    tag: "Sandbox",
    summary: "Lists the rules of the report: the mistakes, and what they cost.",
    answer: ruleTable,
    handle: async (call) =>
      toAnswer({ data: toWireRules(requestedLanguage(call) ?? "en"), next: null }),
  }),
];
