import * as z from "zod";
import type { Environment } from "../../wire/names.ts";
import { LIST_INTEGRATIONS, SHOW_ENVIRONMENT, SHOW_SECRET } from "../../core/state/wire-routes.ts";
import { toAnswer, toListAnswer } from "../calls/answer.ts";
import { readToken } from "../calls/headers.ts";
import { defineRoute } from "../definitions/route.ts";
import { listOf, secret } from "../schemas/members.ts";
import { SECRET, SEED } from "../schemas/samples.ts";

const integrations = listOf(z.object({ integration: z.string() }), {
  id: "Integrations",
  description: "Each `x-api-token` that was used.",
  example: { integration: "shop" },
});

const secretAndSeed = z.object({ secret, seed: z.string() }).meta({
  id: "Secret",
  description: "The secret that signs the webhooks, and the seed that ids are drawn from.",
  examples: [{ secret: SECRET, seed: SEED }],
});

const environment = z
  .object({
    PIX_SANDBOX_URL: z.url(),
    PIX_SANDBOX_BASE_URL: z.url(),
    PIX_SANDBOX_SECRET: secret,
    PIX_SANDBOX_TOKEN: z.string(),
  })
  .meta({
    id: "Environment",
    description:
      "Environment variables: the sandbox's address, the gateway's base address (`/v1`), the secret that signs the integration's webhooks, and its `x-api-token`.",
    examples: [
      {
        PIX_SANDBOX_URL: "http://127.0.0.1:7490",
        PIX_SANDBOX_BASE_URL: "http://127.0.0.1:7490/v1",
        PIX_SANDBOX_SECRET: SECRET,
        PIX_SANDBOX_TOKEN: "shop",
      },
    ],
  }) satisfies z.ZodType<Environment>;

export const routes = [
  defineRoute({
    at: LIST_INTEGRATIONS,
    id: "listIntegrations",
    tag: "Sandbox",
    summary: "Lists the integrations.",
    caller: "integration",
    answer: integrations,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      const tokens = await gateway.read(readToken(call), (view) => view.integrations());
      return toListAnswer({ data: tokens, next: null }, (integration) => ({ integration }));
    },
  }),

  defineRoute({
    at: SHOW_SECRET,
    id: "showSecret",
    tag: "Sandbox",
    summary: "Shows the secret that signs the webhooks, and the seed of the ids.",
    answer: secretAndSeed,
    handle: async (call, { secretOf, seed }) =>
      toAnswer({ secret: secretOf(readToken(call)), seed }),
  }),

  defineRoute({
    at: SHOW_ENVIRONMENT,
    id: "showEnvironment",
    tag: "Sandbox",
    summary:
      "Shows the environment variables with which a program finds this sandbox, at the address of this call.",
    caller: "integration",
    answer: environment,
    handle: async (call, { gateway, credentials, secretOf }) => {
      const token = readToken(call);
      const [listed] =
        gateway.assumptionsOf(token).credentials === "listed" ? credentials.keys() : [];
      const { origin } = call.url;
      return toAnswer({
        PIX_SANDBOX_URL: origin,
        PIX_SANDBOX_BASE_URL: `${origin}/v1`,
        PIX_SANDBOX_SECRET: secretOf(token ?? listed ?? null),
        PIX_SANDBOX_TOKEN: token ?? listed ?? DEFAULT_TOKEN,
      });
    },
  }),
];

const DEFAULT_TOKEN = "sandbox";
