import * as z from "zod";
import { SHOW_METRICS } from "../../core/state/wire-routes.ts";
import { defineRoute } from "../definitions/route.ts";

const metrics = z.string().meta({
  id: "Metrics",
  description: "Metrics in the Prometheus text format.",
  examples: [
    `# HELP pix_sandbox_journal_position Position of the last commit in the journal.
# TYPE pix_sandbox_journal_position gauge
pix_sandbox_journal_position 3
`,
  ],
});

export const routes = [
  defineRoute({
    at: SHOW_METRICS,
    id: "showMetrics",
    tag: "Sandbox",
    summary:
      "Shows the position in the journal and the process's resources in the Prometheus text format.",
    answer: metrics,
    textType: "text/plain",
    isOfProcess: true,
    handle: async (_call, context) =>
      (await import("../context/metrics.ts")).answerMetrics(context),
  }),
];
