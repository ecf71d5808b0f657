import * as z from "zod";
import {
  ASSUMPTION_NAMES,
  type AssumptionChanges,
  type Assumptions,
  choiceSchema,
  describeAssumptions,
  readChoice,
} from "../../core/assumptions/table.ts";
import { type FieldError, invalidFields } from "../../core/records/errors.ts";
import type { Context } from "../context/context.ts";
import { type Asked, route } from "../definitions/route.ts";
import { listOf } from "../schemas/members.ts";
import { say } from "../../text/message.ts";

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

/** The choices made where the specification is silent. */
export const assumptionRoutes = {
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
      const { changes, fields } = readChanges(asked.body, context.credentials.size > 0);
      if (fields.length > 0) throw invalidFields(fields);
      return toTable(asked, context, await context.gateway.changeAssumptions(asked.token, changes));
    },
  }),
};

function toTable({ language }: Asked, { profile }: Context, effective: Assumptions) {
  return { data: describeAssumptions(effective, language, profile), next: null };
}

function readChanges(
  body: unknown,
  hasCredentials: boolean,
): { changes: AssumptionChanges; fields: readonly FieldError[] } {
  const changes: Record<string, string | number> = {};
  const fields: FieldError[] = [];
  for (const [name, value] of Object.entries(body as object)) {
    const isUnlisted = name === "credentials" && value === "listed" && !hasCredentials;
    const read = isUnlisted ? { refusal: NONE_LISTED } : readChoice(name, value);
    if ("choice" in read) changes[name] = read.choice;
    else fields.push({ field: name, code: "INVALID_VALUE", message: read.refusal });
  }
  return { changes, fields };
}

const NONE_LISTED = say`No credentials are listed; start the sandbox with a config file that has credentials.`;
