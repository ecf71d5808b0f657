import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError, type Option } from "commander";
import * as z from "zod";
import { unreadable } from "../text/file-reason.ts";
import { type AssumptionChanges, readChoice } from "../core/assumptions/table.ts";
import type { Credential } from "../core/records/credentials.ts";
import { withoutByteOrderMark } from "../text/byte-order-mark.ts";
import { usageError } from "./errors.ts";
import { type Io, pathIn } from "./io.ts";
import { isSigningSecret, SIGNING_SECRET_RULE } from "../wire/signing-secret.ts";
import { localize, zodMessage } from "./language.ts";
import { collect } from "./options.ts";

/** The content of a config file. */
export interface Config {
  /** The values of the command's options, by commander's names. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly assumptions: AssumptionChanges;
  readonly credentials: readonly Credential[];
}

/** The options that a config file cannot set, or sets with another member. */
const NO_MEMBERS = new Set(["config", "assume", "help", "as", "report", "jobs", "url"]);

/**
 * Reads a config file: the command's long flags in snake_case, `assumptions` and `credentials`.
 * @throws CliError for an unreadable file, and for an unknown or invalid member.
 */
export async function readConfig(file: string, command: Command, io: Io): Promise<Config> {
  const value = await readJson(file, io);
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
      Object.entries(members).map(([member, choice]) => [
        options.get(member)?.attributeName() ?? member,
        choice,
      ]),
    ),
    assumptions: changes,
    credentials: listed,
  };
}

const filled = z
  .string(zodMessage({ en: "Use a string.", pt: "Use uma string." }))
  .trim()
  .min(1, zodMessage({ en: "The value is empty.", pt: "O valor está vazio." }));

const credentials = z
  .array(
    z
      .strictObject({
        api_key: filled,
        api_secret: filled.refine(isSigningSecret, zodMessage(SIGNING_SECRET_RULE)),
        merchant_id: z.union(
          [filled, z.int().transform(String)],
          zodMessage({
            en: "Use a string or a whole number.",
            pt: "Use uma string ou um número inteiro.",
          }),
        ),
      })
      .transform((one): Credential => ({
        apiKey: one.api_key,
        apiSecret: one.api_secret,
        merchantId: one.merchant_id,
      })),
  )
  .refine(
    (all) => new Set(all.map(({ apiKey }) => apiKey)).size === all.length,
    zodMessage({
      en: "Each credential needs its own api_key.",
      pt: "Cada credencial precisa de uma api_key própria.",
    }),
  );

const assumptions = z
  .custom<object>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    zodMessage({
      en: "Use an object of choices by assumption name.",
      pt: "Use um objeto de escolhas pelo nome da premissa.",
    }),
  )
  .transform((choices, context): AssumptionChanges => {
    const changes: Record<string, string | number> = {};
    for (const [name, choice] of Object.entries(choices)) {
      const read = readChoice(name, choice);
      if ("choice" in read) changes[name] = read.choice;
      else context.addIssue(localize(read.refusal));
    }
    return changes;
  });

/** The schema of an option, which uses the option's own parser. */
function valueOf(option: Option): z.ZodType {
  const { parseArg, argChoices } = option;
  if (!option.required && !option.optional)
    return z.boolean(zodMessage({ en: "Use true or false.", pt: "Use true ou false." })).optional();
  if (argChoices)
    return z
      .enum(
        argChoices,
        localize({
          en: `Use ${argChoices.join(localize({ en: " or ", pt: " ou " }))}.`,
          pt: `Use ${argChoices.join(localize({ en: " or ", pt: " ou " }))}.`,
        }),
      )
      .optional();
  if (parseArg === collect)
    return z
      .array(filled, zodMessage({ en: "Use a list of strings.", pt: "Use uma lista de strings." }))
      .optional();
  return z
    .union(
      [filled, z.number()],
      zodMessage({ en: "Use a string or a number.", pt: "Use uma string ou um número." }),
    )
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

async function readJson(file: string, io: Io): Promise<unknown> {
  const text = await readFile(pathIn(io, file), "utf8").catch((error: Error) => {
    throw usageError(
      localize({
        en: `The config file ${file} cannot be read: ${unreadable(error).en}.`,
        pt: `O arquivo de configuração ${file} não pode ser lido: ${unreadable(error).pt}.`,
      }),
      localize({
        en: "Pass an existing file with --config.",
        pt: "Passe um arquivo existente com --config.",
      }),
    );
  });
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    const reason = withoutExcerpt((error as Error).message, text);
    throw usageError(
      localize({
        en: `The config file ${file} is not JSON: ${reason}.`,
        pt: `O arquivo de configuração ${file} não é JSON: ${reason}.`,
      }),
    );
  }
}

/** `JSON.parse` quotes the text near the error, which may be a secret. */
function withoutExcerpt(message: string, text: string): string {
  const mayContainSecret = /secret|token|:\/\//i.test(text);
  return mayContainSecret ? message.replace(/, (?:\.{3})?".*$/s, "") : message;
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
      localize({
        en: `The config file ${file} has the unknown member ${JSON.stringify(name)}.`,
        pt: `O arquivo de configuração ${file} tem o campo desconhecido ${JSON.stringify(name)}.`,
      }),
      localize({
        en: `Use one of ${known.join(", ")}.`,
        pt: `Use um destes: ${known.join(", ")}.`,
      }),
    );
  }
  return usageError(
    path === ""
      ? localize({
          en: `The config file ${file} is not a JSON object.`,
          pt: `O arquivo de configuração ${file} não é um objeto JSON.`,
        })
      : localize({
          en: `The config file ${file}, member ${JSON.stringify(path)}: ${issue?.message ?? ""}`,
          pt: `O arquivo de configuração ${file}, campo ${JSON.stringify(path)}: ${issue?.message ?? ""}`,
        }),
  );
}

const CREDENTIAL_MEMBERS = ["api_key", "api_secret", "merchant_id"];
