import * as z from "zod";
import { clockMode, count, instant } from "./members.ts";

export const secret = z.string().regex(/^whsec_[A-Za-z0-9+/]+=*$/);

const stateFile = z
  .string()
  .nullable()
  .describe("A file, or the address of a database without its password; null: in memory.");

export const about = z
  .object({
    version: z.string(),
    url: z.string().describe("The address on this machine."),
    public_url: z.string().nullable().describe("Null without `--public-url`."),
    urls: z
      .array(z.string())
      .describe("The addresses for other machines: the public URL first. Empty if there are none."),
    state_file: stateFile,
    explain: z.boolean().describe("Whether `x-sandbox-assumption` lists defaults too."),
    magic: z.boolean().describe("Whether magic values trigger their effects."),
    protected: z.boolean().describe("Whether control routes need a control token."),
    started_at: instant.describe("Real time."),
    program: z.string().describe("The words that start its program in its folder."),
  })
  .meta({ id: "About", description: "A running sandbox: its addresses and its settings." });

export type About = z.output<typeof about>;

export const environment = z
  .object({
    PIX_SANDBOX_URL: z.url(),
    PIX_SANDBOX_BASE_URL: z.url().describe("Of the gateway: `/v1`."),
    PIX_SANDBOX_SECRET: secret.describe("Signs the integration's webhooks."),
    PIX_SANDBOX_TOKEN: z.string().describe("Its `x-api-token`."),
  })
  .meta({ id: "Environment", description: "Environment variables." });

const choices = z.record(z.string(), z.union([z.string(), count]));

const settings = z.object({
  ahead_seconds: z.int().describe("How far its time is ahead of real time."),
  faults: count.describe("How many faults are armed."),
  assumptions: choices.describe("The choices other than the default."),
  integration_assumptions: z
    .record(z.string(), choices)
    .optional()
    .describe("The choices that integrations changed for themselves, by their tokens."),
  webhook_configurations: count.optional().describe("Of how many integrations; absent: none."),
});

/** What can differ from a sandbox that was just started, also after a restart. */
export type Settings = z.output<typeof settings>;

export const readiness = z
  .object({
    ready: z.literal(true),
    version: z.string(),
    state_file: stateFile.optional(),
    now: instant.optional().describe("The sandbox's time."),
    mode: clockMode.optional(),
    ...settings.partial().shape,
  })
  .meta({
    id: "Readiness",
    description:
      "Calls should be sent to this process. A protected sandbox shows the optional members only with its control token.",
  });
