import * as z from "zod";
import {
  ASSUMPTION_NAMES,
  type Assumptions,
  choiceSchema,
  describeAssumptions,
  readChoice,
} from "../../core/assumptions/table.ts";
import { type FieldError, invalidFields } from "../../core/records/errors.ts";
import { PROGRAM } from "../../platform/program.ts";
import { toJunit } from "../../review/junit.ts";
import { toMarkdown } from "../../review/markdown.ts";
import { toWireReview, type WireReview } from "../../review/report.ts";
import { toWireRules } from "../../review/rule-texts.ts";
import { type Answer, toAnswer, withHeaders } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { answerHealth, answerReady } from "../context/health.ts";
import { toWireRequest } from "../context/request-log.ts";
import { collection } from "../definitions/collection.ts";
import { type Asked, route } from "../definitions/route.ts";
import { errorEnvelope } from "../schemas/error.ts";
import { review, ruleId } from "../schemas/finding.ts";
import { listOf } from "../schemas/members.ts";
import { request } from "../schemas/rows.ts";
import { about, environment, readiness, secret } from "../schemas/sandbox.ts";
import { say } from "../../text/message.ts";

const reportQuery = z.strictObject({
  format: z
    .enum(["json", "junit", "markdown"])
    .default("json")
    .describe("`junit` is XML, `markdown` a comment for a pull request."),
  final: z
    .stringbool()
    .default(false)
    .describe("Whether the integration makes no more calls: what is pending is then decided."),
});

const rule = z.object({
  id: ruleId,
  number: z.int(),
  mistake: z.string().describe("As a sentence about the integration."),
  harm: z.string().describe("What the mistake costs."),
  change: z.string().describe("What to change, in a sentence."),
});

const choice = z.union([z.string(), z.int().min(0)]);

const assumptionTable = listOf(
  z
    .object({
      name: z.enum(ASSUMPTION_NAMES),
      gap: z.string(),
      default: choice,
      choice,
      choices: z.record(z.string(), z.string()),
      profile: z.string().exactOptional(),
      observed: z.iso.datetime().nullable().exactOptional(),
    })
    .meta({
      id: "Assumption",
      description:
        "A choice made where the specification is silent. `profile` names the profile that it comes from, and `observed` when it was observed. The texts are in English, or in Portuguese if the call has the header `x-sandbox-language: pt`.",
    }),
);

/** The sandbox itself: what it was sent, how it is set, and its verdict on an integration. */
export const sandboxRoutes = {
  ...collection("requests", {
    noun: "request",
    row: request,
    summary:
      "Lists the requests that the gateway received, and its responses, the newest last. They are in memory only: a restart drops them.",
    page: ({ context: { requests }, token }, ...wanted) => requests.page(token, ...wanted),
    find: ({ context: { requests }, token }, id) => requests.find(token, id),
    toWire: toWireRequest,
  }),

  "GET /report": route({
    summary:
      "Judges the integration, or all of them, by what they have done since the sandbox started. A reset does not change the verdicts.",
    query: reportQuery,
    rules: { final: say`final must be true or false.` },
    answer: review,
    contentTypes: ["application/json", "application/xml", "text/markdown"],
    respond(asked, context): Answer<WireReview> {
      const { format, final } = asked.query;
      const wire = judge(asked, context, final);
      if (format === "json") return toAnswer(wire);
      return format === "junit"
        ? toText(toJunit(wire), { "content-type": "application/xml" })
        : toText(toMarkdown(wire, asked.language ?? "en"), {
            "content-type": "text/markdown; charset=utf-8",
          });
    },
  }),

  "DELETE /report": route({
    summary: "Forgets what the integration, or all of them, have done: the report starts anew.",
    answer: review,
    run(asked, context) {
      context.reviewer.clear(asked.token);
      return judge(asked, context);
    },
  }),

  "GET /report/rules": route({
    summary:
      "Lists the rules of the report: the mistakes, and what they cost. The texts are in English, or in Portuguese if the call has the header `x-sandbox-language: pt`.",
    answer: listOf(rule),
    run: ({ language = "en" }) => ({ data: toWireRules(language), next: null }),
  }),

  "GET /trace": route({
    summary: "Writes what the integration, or all of them, did as one HTML file.",
    query: z.strictObject({
      as: z.literal("json").optional().describe("Whether the file is a JSON text."),
    }),
    answer: z.object({ html: z.string() }),
    contentTypes: ["application/json", "text/html"],
    async respond({ token, query }, { writeTrace }) {
      const html = await writeTrace(token);
      // It is for a file: as a page of this origin it could call the control routes.
      const headers = { "content-disposition": 'attachment; filename="pix-sandbox-trace.html"' };
      return query.as === "json"
        ? withHeaders(toAnswer({ html }), headers)
        : toText(html, { ...headers, "content-type": "text/html; charset=utf-8" });
    },
  }),

  "GET /integrations": route({
    summary: "Lists the integrations: each `x-api-token` that was used.",
    answer: listOf(z.object({ integration: z.string() })),
    async run({ token }, { gateway }) {
      const tokens = await gateway.read(token, (view) => view.integrations());
      return { data: tokens.map((integration) => ({ integration })), next: null };
    },
  }),

  "GET /secret": route({
    summary: "Shows the secret that signs the webhooks, and the seed of the ids.",
    answer: z.object({ secret, seed: z.string() }),
    run: ({ token }, { secretOf, seed }) => ({ secret: secretOf(token), seed }),
  }),

  "GET /env": route({
    summary:
      "Shows the environment variables with which a program finds this sandbox, at the address of this call.",
    answer: environment,
    run({ token, call }, { gateway, credentials, secretOf }) {
      const isListed = gateway.assumptionsOf(token).credentials === "listed";
      const [listed] = isListed ? credentials.keys() : [];
      const { origin } = call.location;
      return {
        PIX_SANDBOX_URL: origin,
        PIX_SANDBOX_BASE_URL: `${origin}/v1`,
        PIX_SANDBOX_SECRET: secretOf(token ?? listed ?? null),
        PIX_SANDBOX_TOKEN: token ?? listed ?? DEFAULT_TOKEN,
      };
    },
  }),

  "GET /about": route({
    summary: "Shows the sandbox's version, its addresses and its settings.",
    answer: about,
    run: (_asked, context) => context.about(),
  }),

  "GET /health": route({
    summary: "Reports that the sandbox runs and whether it accepts changes.",
    answer: z.object({ status: z.literal("ok"), version: z.string() }),
    refusal: z.object({ status: z.literal("degraded"), version: z.string() }).or(errorEnvelope),
    query: z.looseObject({}),
    isOpen: true,
    isOfProcess: true,
    respond: ({ call }, context) => answerHealth(call, context) as Promise<Answer<never>>,
  }),

  "GET /ready": route({
    summary:
      "Reports whether the sandbox accepts changes. With the control token, if there is one, also how the sandbox is set.",
    answer: readiness,
    refusal: z.object({ ready: z.literal(false), version: z.string() }).or(errorEnvelope),
    query: z.looseObject({}),
    isOpen: true,
    isOfProcess: true,
    respond: ({ call }, context) => answerReady(call, context) as Promise<Answer<never>>,
  }),

  "GET /openapi.json": route({
    summary: "Returns this document for the effective assumptions.",
    answer: z.looseObject({ openapi: z.string().regex(/^3\.1\.\d+$/) }),
    async run({ token }, { gateway, controlToken, describeApi }) {
      const assumptions = gateway.assumptionsOf(token);
      return { ...(await describeApi(assumptions, controlToken !== undefined)) };
    },
  }),

  "GET /assumptions": route({
    summary: "Lists every choice made where the specification is silent.",
    answer: assumptionTable,
    run: (asked, context) => toTable(asked, context, context.gateway.assumptionsOf(asked.token)),
  }),

  "PATCH /assumptions": route({
    summary:
      "Changes choices of one integration, or of all integrations without changes of their own.",
    body: z.unknown().meta({
      type: "object",
      properties: Object.fromEntries(ASSUMPTION_NAMES.map((name) => [name, choiceSchema(name)])),
      additionalProperties: false,
    }),
    answer: assumptionTable,
    async run(asked, context) {
      const changes: Record<string, string | number> = {};
      const fields: FieldError[] = [];
      for (const [name, value] of Object.entries(asked.body as object)) {
        const isUnlisted =
          name === "credentials" && value === "listed" && context.credentials.size === 0;
        const read = isUnlisted ? { refusal: NONE_LISTED } : readChoice(name, value);
        if ("choice" in read) changes[name] = read.choice;
        else fields.push({ field: name, code: "INVALID_VALUE", message: read.refusal });
      }
      if (fields.length > 0) throw invalidFields(fields);
      return toTable(asked, context, await context.gateway.changeAssumptions(asked.token, changes));
    },
  }),
};

/** A 200 with a text that is not JSON. */
function toText(body: string, headers: Answer["headers"]): Answer<never> {
  return { status: 200, headers, body };
}

function judge(
  { token, language = "en" }: Asked,
  { reviewer, gateway }: Context,
  isOver = false,
): WireReview {
  const assumptionsOf: typeof gateway.assumptionsOf = (one) => gateway.assumptionsOf(one);
  const seen = reviewer.review(token, assumptionsOf, { isOver });
  return toWireReview(seen, language, PROGRAM);
}

function toTable({ language }: Asked, { profile }: Context, effective: Assumptions) {
  return { data: describeAssumptions(effective, language, profile), next: null };
}

const NONE_LISTED = say`No credentials are listed; start the sandbox with a config file that has credentials.`;
const DEFAULT_TOKEN = "sandbox";
