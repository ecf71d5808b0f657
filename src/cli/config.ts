import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError, type Option } from "commander";
import * as z from "zod";
import { type AssumptionChanges, readChoice } from "../core/assumptions/table.ts";
import type { Credential } from "../core/credentials.ts";
import { withoutByteOrderMark } from "../core/byte-order-mark.ts";
import { usageError } from "./errors.ts";
import { retell, t, tell } from "./language.ts";
import { collect } from "./options.ts";

/** What a config file says. */
export interface Config {
  /** The values of the command's options, by the names under which commander keeps them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly assumptions: AssumptionChanges;
  readonly credentials: readonly Credential[];
}

/** Those that say where the config is, that one of its members says in its own way, and that are `exec`'s alone. */
const NO_MEMBERS = new Set(["config", "assume", "help", "as", "report"]);

/**
 * Reads a config file: the command's long flags in snake_case, `assumptions` and `credentials`.
 * @throws CliError for a file that cannot be read, and for a member that is none or is wrong.
 */
export async function readConfig(file: string, command: Command): Promise<Config> {
  const value = await readJson(file);
  const options = new Map(
    command.options
      .filter((option) => !NO_MEMBERS.has(option.name()))
      .map((option) => [option.name().replaceAll("-", "_"), option]),
  );
  const schema = z.strictObject({
    ...Object.fromEntries([...options].map(([member, option]) => [member, valueOf(option)])),
    assumptions: assumptions.optional(),
    credentials: credentials.optional(),
  });
  const result = schema.safeParse(value);
  if (!result.success) throw wrongMember(file, result.error.issues[0], [...options.keys()]);
  const { assumptions: changes = {}, credentials: listed = [], ...members } = result.data;
  return {
    options: Object.fromEntries(
      Object.entries(members).map(([member, said]) => [
        options.get(member)?.attributeName() ?? member,
        said,
      ]),
    ),
    assumptions: changes,
    credentials: listed,
  };
}

const filled = z.string("It takes a text.").trim().min(1, "It must not be empty.");

const credentials = z
  .array(
    z
      .strictObject({
        api_key: filled,
        api_secret: filled,
        merchant_id: z.union(
          [filled, z.int().transform(String)],
          "It takes a text or a whole number.",
        ),
      })
      .transform((one): Credential => ({
        apiKey: one.api_key,
        apiSecret: one.api_secret,
        merchantId: one.merchant_id,
      })),
  )
  .refine((all) => new Set(all.map(({ apiKey }) => apiKey)).size === all.length, {
    message: "Each needs an api_key of its own.",
  });

const assumptions = z
  .custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
    message: "It takes an object of choices by their names.",
  })
  .transform((choices, context): AssumptionChanges => {
    const changes: Record<string, string | number> = {};
    for (const [name, choice] of Object.entries(choices)) {
      const read = readChoice(name, choice);
      if ("choice" in read) changes[name] = read.choice;
      else context.addIssue(retell(read.refusal));
    }
    return changes;
  });

/** What an option takes in JSON: as the command line would, through the option's own parser. */
function valueOf(option: Option): z.ZodType {
  const { parseArg, argChoices } = option;
  if (!option.required && !option.optional) return z.boolean("It takes true or false.").optional();
  if (argChoices) return z.enum(argChoices, t`It takes ${argChoices.join(t` or `)}.`).optional();
  if (parseArg === collect) return z.array(filled, "It takes a list of texts.").optional();
  return z
    .union([filled, z.number()], "It takes a text or a number.")
    .transform((value, context): unknown => {
      try {
        return parseArg ? parseArg(String(value), undefined) : String(value);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        context.addIssue(error.message);
        return z.NEVER;
      }
    })
    .optional();
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw usageError(
      t`The config file ${file} cannot be read: ${error.message}.`,
      t`Name a file that exists with --config.`,
    );
  });
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    throw usageError(t`The config file ${file} is not JSON: ${(error as Error).message}.`);
  }
}

function wrongMember(
  file: string,
  issue: z.core.$ZodIssue | undefined,
  members: readonly string[],
): Error {
  const path = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const name = [path, issue.keys[0]].filter(Boolean).join(".");
    const known = path === "" ? [...members, "assumptions", "credentials"] : CREDENTIAL_MEMBERS;
    return usageError(
      t`The config file ${file} has the member ${JSON.stringify(name)}, which there is not.`,
      t`There are ${known.join(", ")}.`,
    );
  }
  return usageError(
    path === ""
      ? t`The config file ${file} holds no JSON object.`
      : t`The config file ${file}, member ${JSON.stringify(path)}: ${tell(issue?.message ?? "")}`,
  );
}

const CREDENTIAL_MEMBERS = ["api_key", "api_secret", "merchant_id"];
