// The JSON Schemas of the config file and of a profile, for editors. The command line reads both by the checks of the
// options' table.
import * as z from "zod";
import {
  ASSUMPTION_NAMES,
  choiceSchema,
  STANDARD_ASSUMPTIONS,
} from "../src/core/assumptions/table.ts";
import type { Check } from "../src/server/options/option-checks.ts";
import { COMMAND_ROWS, memberOf, type Option, OPTIONS } from "../src/server/options/options.ts";
import { english } from "../src/text/languages.ts";

const filled = z.string().min(1);

/** The schema of an option's value. A number may stand for a text, and a text for a number. */
function valueOf({ kind, choices = [], max = 0 }: Check): z.ZodType {
  switch (kind) {
    case "switch":
      return z.boolean();
    case "choice":
      return z.enum(choices);
    case "list":
      return z.array(filled);
    case "number":
      return z.union([z.int().min(0).max(max), z.string().regex(/^\d+$/)]);
    case "text":
    case "object":
      return z.union([filled, z.number()]);
  }
}

function describe({ help, default: standard, defaultOf, unset }: Option) {
  if (unset) return { description: `${english(help)} (default: ${english(unset)})` };
  const value = defaultOf?.serve ?? standard;
  return { description: english(help), ...(value !== undefined && { default: value }) };
}

const $schema = filled.optional().meta({ description: "The address of this schema, for editors." });

const assumptions = z.unknown().meta({
  type: "object",
  properties: Object.fromEntries(
    ASSUMPTION_NAMES.map((name) => [
      name,
      { ...choiceSchema(name), default: STANDARD_ASSUMPTIONS[name] },
    ]),
  ),
  additionalProperties: false,
});

const observation = z.strictObject({
  at: z.iso.datetime(),
  by: z.enum(["probe", "recording"]),
  evidence: z.array(z.string()).optional(),
});
const observed = z.partialRecord(z.enum(ASSUMPTION_NAMES), observation).optional().meta({
  description: "When and how the choices of `assumptions` were observed. `probe` sets it.",
});

const credentials = z.array(
  z.strictObject({
    api_key: filled,
    api_secret: filled,
    merchant_id: z.union([filled, z.int()]),
  }),
);

const members = COMMAND_ROWS.filter(([, { isMember = true }]) => isMember).map(
  ([name, row]) => [memberOf(name), valueOf(row.check).optional().meta(describe(row))] as const,
);

/** The JSON Schema of the config file, in English. */
export const CONFIG_SCHEMA = toJsonSchema("The config file of pix-sandbox", {
  $schema,
  ...Object.fromEntries(members),
  assumptions: assumptions.optional(),
  observed,
  credentials: credentials.optional().meta({ description: english(OPTIONS.credentials.help) }),
});

/** The JSON Schema of a profile, in English. */
export const PROFILE_SCHEMA = toJsonSchema(
  "A profile of pix-sandbox: what a gateway was observed to do",
  {
    $schema,
    name: filled.optional().meta({ description: "Default: the name of the file." }),
    assumptions: assumptions.nonoptional(),
    observed,
  },
);

function toJsonSchema(title: string, shape: Readonly<Record<string, z.ZodType>>): object {
  const options = { io: "input", unrepresentable: "any", target: "draft-7" } as const;
  return { ...z.toJSONSchema(z.strictObject(shape), options), title };
}
