import * as z from "zod";
import { answerMetrics } from "../metrics.ts";
import { defineRoute } from "../route.ts";

const metrics = z.string().meta({
  id: "Metrics",
  description: "Metrics in the Prometheus text format.",
  examples: [
    `# HELP pix_sandbox_due_events Entries of the due queue: expirations, settlements and webhook attempts that the clock will run.
# TYPE pix_sandbox_due_events gauge
pix_sandbox_due_events 3
`,
  ],
});

export const routes = [
  defineRoute({
    path: "/_sandbox/metrics",
    method: "GET",
    id: "showMetrics",
    tag: "Sandbox",
    summary: "Shows counts, durations and the process's resources in the Prometheus text format.",
    answer: metrics,
    textType: "text/plain",
    isOfProcess: true,
    handle: answerMetrics,
  }),
];
