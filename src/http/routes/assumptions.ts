import * as z from "zod";
import {
  type Assumption,
  ASSUMPTION_NAMES,
  type AssumptionChanges,
  type Assumptions,
  ASSUMPTIONS,
  describeAssumptions,
  readChoice,
} from "../../core/assumptions/table.ts";
import { POSITIVE_INTEGER } from "../../wire/forms.ts";
import { type FieldError, invalidFields } from "../../core/records/errors.ts";
import type { Context } from "../context/context.ts";
import { type Asked, route } from "../definitions/route.ts";
import { listOf } from "../schemas/members.ts";
import { say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

const choiceSchema = z.union([z.string(), z.int().min(0)]);

const assumptionTable = listOf(
  z
    .object({
      name: z.enum(ASSUMPTION_NAMES),
      gap: z.string(),
      default: choiceSchema,
      choice: choiceSchema,
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
    body: changesSchema(),
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

/** Describes what `readChoice` accepts: a choice by its name, or the number or boolean that its name spells. */
function changesSchema() {
  const properties = Object.entries(ASSUMPTIONS).map(([name, row]: [string, Assumption]) => {
    const names = Object.keys(row.choices);
    const literal = names.filter((choice) => !choice.includes("<")).flatMap(spellings);
    const anyOf = [
      ...names.filter((choice) => choice.includes("<")).flatMap(numbered),
      ...(literal.length > 0 ? [{ enum: literal }] : []),
    ];
    return [
      name,
      { description: english(row.gap), ...(anyOf.length > 1 ? { anyOf } : anyOf[0]) },
    ] as const;
  });
  return z.unknown().meta({
    type: "object",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  });
}

/** The schemas of a choice whose name contains any positive integer. */
function numbered(choice: string): readonly object[] {
  const [before = ""] = choice.split("<");
  const text = { type: "string", pattern: `^${before}${POSITIVE_INTEGER}$` };
  const number = { type: "integer", minimum: 1, maximum: 999_999_999_999_999 };
  return before === "" ? [number, text] : [text];
}

function spellings(choice: string): readonly unknown[] {
  if (choice === "true" || choice === "false") return [choice, choice === "true"];
  return String(Number(choice)) === choice ? [choice, Number(choice)] : [choice];
}
