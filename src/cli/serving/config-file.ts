import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { AssumptionChanges, Credential, Profile } from "../../core/assumptions/table.ts";
import { withoutByteOrderMark, jsonError } from "../../wire/json.ts";
import { unreadable } from "../../text/file-reason.ts";
import type { CommandOptions, OptionName } from "../../server/options/options.ts";
import { usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { loadLanguage, setLanguage } from "../terminal/language.ts";
import { findLanguage, LANGUAGES } from "../../text/languages.ts";
import { attributeOf } from "./read-options.ts";
import { type Message, say } from "../../text/message.ts";

export interface Config {
  readonly options: Partial<CommandOptions>;
  readonly assumptions: AssumptionChanges;
  readonly credentials: readonly Credential[];
}

/** The default config file, in the working directory. */
export const CONFIG_FILE = "pix-sandbox.config.json";

/** The config file that `--config` or its variable names, or else the default one if it exists. */
export function configFileOf(
  { config }: Pick<CommandOptions, "config">,
  io: Io,
): string | undefined {
  return config ?? (existsSync(pathIn(io, CONFIG_FILE)) ? CONFIG_FILE : undefined);
}

/**
 * Applies the config file to options that neither a flag nor the environment sets.
 * @throws CliError for an unreadable file, and for an unknown or invalid member.
 */
export async function applyConfig(file: string, command: Command, io: Io): Promise<Config> {
  const config = await readConfigFile(file, io);
  const isSet = (name: string): boolean =>
    ["cli", "env"].includes(command.getOptionValueSourceWithGlobals(name) ?? "");
  for (const [name, choice] of Object.entries(config.options)) {
    const option = attributeOf(name as OptionName);
    // A given state file overrides `memory` of the config file.
    if (!isSet(option) && !(option === "memory" && isSet("state")))
      command.setOptionValueWithSource(option, choice, "config");
  }
  // JSON is English in every language.
  if (!isSet("lang") && !isSet("json")) await applyLanguage({ lang: config.options.lang });
  return config;
}

/** @throws CliError for an unreadable file, and for an unknown or invalid member. */
export async function readConfigFile(file: string, io: Io): Promise<Config> {
  const value = await readJson(say`The config file ${file}`, file, "--config", io);
  const { readConfig } = await import("./config-schema.ts");
  return readConfig(value, file);
}

/** Reads the profile that an option names. @throws CliError for one that is unreadable or invalid. */
export async function readProfileFile(file: string, io: Io): Promise<Profile> {
  const value = await readJson(say`The profile ${file}`, file, "--profile", io);
  const { readProfile } = await import("./config-schema.ts");
  return readProfile(value, file);
}

/** The language of the rest of the command. */
export async function applyLanguage({ lang }: Pick<CommandOptions, "lang">): Promise<void> {
  if (lang === undefined) return;
  const language = LANGUAGES[findLanguage(lang) ?? "en"].tag;
  await loadLanguage(language);
  setLanguage(language);
}

/** @param title names the file in messages */
async function readJson(title: Message, file: string, flag: string, io: Io): Promise<unknown> {
  const text = await readFile(pathIn(io, file), "utf8").catch((error: Error) => {
    throw usageError(
      say`${title} cannot be read: ${unreadable(error)}.`,
      say`Pass an existing file with ${flag}.`,
    );
  });
  const content = withoutByteOrderMark(text);
  try {
    return JSON.parse(content);
  } catch {
    throw usageError(say`${title} is not JSON: ${jsonError(content)}.`);
  }
}
