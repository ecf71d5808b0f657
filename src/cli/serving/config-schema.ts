import path from "node:path";
import * as z from "zod";
import {
  ASSUMPTION_NAMES,
  type AssumptionChanges,
  type Credential,
  type Profile,
  choiceSchema,
  readChoice,
  STANDARD_ASSUMPTIONS,
} from "../../core/assumptions/table.ts";
import { isSigningSecret, SIGNING_SECRET_RULE } from "../../wire/forms.ts";
import type { Check } from "../../server/options/option-checks.ts";
import { COMMAND_ROWS, memberOf, type Option, OPTIONS } from "../../server/options/options.ts";
import { usageError } from "../terminal/errors.ts";
import { localize, zodMessage } from "../terminal/language.ts";
import type { Config } from "./config-file.ts";
import { type Message, say } from "../../text/message.ts";
import { closest } from "../../text/suggestion.ts";
import { english } from "../../text/languages.ts";

/**
 * Reads the content of a config file: members with the names of the flags in snake_case, `assumptions` and
 * `credentials`.
 * @throws CliError for an unknown or invalid member.
 */
export function readConfig(content: unknown, file: string): Config {
  const result = configSchema.safeParse(content);
  if (!result.success)
    throw wrongMember(say`The config file ${file}`, result.error.issues[0], configSchema);
  const { assumptions: changes = {}, credentials: listed = [] } = result.data;
  const members: Readonly<Record<string, unknown>> = result.data;
  const options = MEMBERS.map(
    ([name, { check }]) => [name, converted(members[memberOf(name)], check)] as const,
  ).filter(([, value]) => value !== undefined);
  return { options: Object.fromEntries(options), assumptions: changes, credentials: listed };
}

/** Reads the content of a profile. @throws CliError for an unknown or invalid member. */
export function readProfile(content: unknown, file: string): Profile {
  const result = profileSchema.safeParse(content);
  if (!result.success)
    throw wrongMember(say`The profile ${file}`, result.error.issues[0], profileSchema);
  const { name = path.basename(file, ".json"), assumptions: choices, observed } = result.data;
  return { name, assumptions: choices, observed };
}

/** The JSON Schema of the config file, in English. */
export function configJsonSchema(): object {
  return jsonSchema(configSchema, "The config file of pix-sandbox");
}

/** The JSON Schema of a profile, in English. */
export function profileJsonSchema(): object {
  return jsonSchema(profileSchema, "A profile of pix-sandbox: what a gateway was observed to do");
}

function jsonSchema(schema: z.ZodType, title: string): object {
  const options = { io: "input", unrepresentable: "any", target: "draft-7" } as const;
  return { ...z.toJSONSchema(schema, options), title };
}

/** The options that a config file sets. */
const MEMBERS = COMMAND_ROWS.filter(([, { isMember = true }]) => isMember);

const filled = z
  .string(zodMessage(say`Use a string.`))
  .trim()
  .min(1, zodMessage(say`The value is empty.`));

const credentials = z
  .array(
    z
      .strictObject({
        api_key: filled,
        api_secret: filled.refine(isSigningSecret, zodMessage(SIGNING_SECRET_RULE)),
        merchant_id: z.union(
          [filled, z.int().transform(String)],
          zodMessage(say`Use a string or a whole number.`),
        ),
      })
      .transform((one): Credential => ({
        apiKey: one.api_key,
        apiSecret: one.api_secret,
        merchantId: one.merchant_id,
      })),
    zodMessage(say`Use a list of objects.`),
  )
  .refine(
    (all) => new Set(all.map(({ apiKey }) => apiKey)).size === all.length,
    zodMessage(say`Each credential needs its own api_key.`),
  );

const assumptions = z
  .custom<object>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    zodMessage(say`Use an object of choices by assumption name.`),
  )
  .transform((choices, context): AssumptionChanges => {
    const changes: Record<string, string | number> = {};
    for (const [name, choice] of Object.entries(choices)) {
      const read = readChoice(name, choice);
      if ("choice" in read) changes[name] = read.choice;
      else context.addIssue(localize(read.refusal));
    }
    return changes;
  })
  .meta({
    type: "object",
    properties: Object.fromEntries(
      ASSUMPTION_NAMES.map((name) => [
        name,
        { ...choiceSchema(name), default: STANDARD_ASSUMPTIONS[name] },
      ]),
    ),
    additionalProperties: false,
  });

const observations = z.partialRecord(
  z.enum(ASSUMPTION_NAMES),
  z.strictObject({
    at: z.iso.datetime(),
    by: z.enum(["probe", "recording"]),
    evidence: z.array(z.string()).optional(),
  }),
  zodMessage(say`Use an object of observations by assumption name.`),
);

/** The schema of an option's value. A number may stand for a text, and a text for a number. */
function valueOf({ kind, rule, accepts, choices, max }: Check): z.ZodType {
  const message = zodMessage(say`Use ${rule}.`);
  switch (kind) {
    case "switch":
      return z.boolean(message);
    case "choice":
      return z.enum(choices ?? [], message);
    case "list":
      return z.array(filled, zodMessage(say`Use a list of strings.`));
    case "number":
      return z
        .union(
          [
            z
              .int(message)
              .min(0, message)
              .max(max ?? 0, message),
            z.string(message).trim().regex(/^\d+$/, message),
          ],
          message,
        )
        .refine((value) => accepts(Number(value)), message);
    case "text":
    case "object":
      return z.union([filled, z.number()], zodMessage(say`Use a string or a number.`));
  }
}

// Not a transformation in the schema: zod describes no default beside one.
function converted(value: unknown, { kind }: Check): unknown {
  if (value === undefined) return undefined;
  if (kind === "number") return Number(value);
  return typeof value === "number" ? String(value) : value;
}

const $schema = filled.optional().meta({ description: "The address of this schema, for editors." });
const observed = observations.optional().meta({
  description: "When and how the choices of `assumptions` were observed. `probe` sets it.",
});

const profileSchema = z.strictObject({
  $schema,
  name: filled.optional().meta({ description: "Default: the name of the file." }),
  assumptions,
  observed,
});

const configSchema = z.strictObject({
  $schema,
  ...Object.fromEntries(
    MEMBERS.map(([name, row]) => [
      memberOf(name),
      valueOf(row.check).optional().meta(describe(row)),
    ]),
  ),
  assumptions: assumptions.optional(),
  observed,
  credentials: credentials.optional().meta({ description: english(OPTIONS.credentials.help) }),
});

function describe({ help, default: standard, defaultOf, unset }: Option) {
  if (unset) return { description: `${english(help)} (default: ${english(unset)})` };
  const value = defaultOf?.serve ?? standard;
  return { description: english(help), ...(value !== undefined && { default: value }) };
}

function wrongMember(
  file: Message,
  issue: z.core.$ZodIssue | undefined,
  { shape }: z.ZodObject,
): Error {
  const place = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const name = [place, issue.keys[0]].filter(Boolean).join(".");
    const known = place === "" ? Object.keys(shape).slice(1) : membersIn(place);
    const meant = closest(issue.keys[0] ?? "", known);
    return usageError(
      say`${file} has the unknown member ${JSON.stringify(name)}.`,
      meant === undefined ? say`Use one of ${known.join(", ")}.` : say`Did you mean "${meant}"?`,
    );
  }
  return usageError(
    place === ""
      ? say`${file} is not a JSON object.`
      : say`${file}, member ${JSON.stringify(place)}: ${issue?.message ?? ""}`,
  );
}

function membersIn(place: string): readonly string[] {
  return place.startsWith("observed")
    ? ["at", "by", "evidence"]
    : ["api_key", "api_secret", "merchant_id"];
}
