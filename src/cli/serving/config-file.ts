import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { AssumptionChanges, Credential, Profile } from "../../core/assumptions/table.ts";
import { withoutByteOrderMark, jsonError } from "../../wire/json.ts";
import { unreadable } from "../../text/file-reason.ts";
import { closest } from "../../text/suggestion.ts";
import { isObject, valuesThat, valueThat } from "../../server/options/option-checks.ts";
import {
  COMMAND_ROWS,
  type CommandOptions,
  isCredential,
  memberOf,
} from "../../server/options/options.ts";
import { usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import type { Words } from "../terminal/language.ts";
import { readChoices, readValue } from "./value.ts";
import { type Message, say } from "../../text/message.ts";

/** A config file. Its members that set options are read together with the flags. */
export interface Config {
  readonly file: string;
  readonly members: Readonly<Record<string, unknown>>;
  readonly assumptions: AssumptionChanges;
  readonly credentials: readonly Credential[];
}

/** The default config file, in the working directory. */
export const CONFIG_FILE = "pix-sandbox.config.json";

/** The members of a config file: the flags in snake_case, and its own. */
const MEMBERS = COMMAND_ROWS.filter(([, { isMember = true }]) => isMember)
  .map(([name]) => memberOf(name))
  .concat("assumptions", "observed", "credentials", "$schema");

/** The config file that `--config` or its variable names, or else the default one if it exists. */
export function configFileOf(
  { config }: Pick<CommandOptions, "config">,
  io: Io,
): string | undefined {
  return config ?? (existsSync(pathIn(io, CONFIG_FILE)) ? CONFIG_FILE : undefined);
}

/** @throws CliError for an unreadable file, an unknown member, or one that is invalid and sets no option. */
export async function readConfigFile(file: string, io: Io): Promise<Config> {
  const members = await readObject(say`The config file ${file}`, file, "--config", MEMBERS, io);
  const { assumptions = {}, credentials = [] } = members;
  return {
    file,
    members,
    assumptions: readAssumptions(assumptions, file),
    credentials: readCredentials(credentials, file),
  };
}

/** Reads the profile that an option names. @throws CliError for one that is unreadable or invalid. */
export async function readProfileFile(file: string, io: Io): Promise<Profile> {
  const known = ["name", "assumptions", "observed", "$schema"];
  const members = await readObject(say`The profile ${file}`, file, "--profile", known, io);
  const { name = path.basename(file, ".json"), assumptions, observed } = members;
  const choices = readAssumptions(assumptions, file);
  return { name: String(name), assumptions: choices, observed: observed as Profile["observed"] };
}

function readAssumptions(given: unknown, file: string): AssumptionChanges {
  const place = say`${"assumptions"} in ${file}`;
  const rule = say`an object with choices by assumption name`;
  return readChoices(
    Object.entries(readValue(valueThat<object>(isObject, rule), given, place)),
    place,
  );
}

function readCredentials(given: unknown, file: string): readonly Credential[] {
  const list = readValue(
    valuesThat(isObject, say`a list of objects`),
    given,
    say`${"credentials"} in ${file}`,
  );
  const keys = list.map(({ api_key: key }) => key);
  return list.map((one, index) => {
    const { api_key: apiKey, api_secret: apiSecret, merchant_id: id, ...rest } = one;
    const credential = { apiKey, apiSecret, merchantId: typeof id === "number" ? String(id) : id };
    // With another member, or the key of another one.
    const isOther = Object.keys(rest).length > 0 || keys.indexOf(apiKey) < index;
    return readValue(
      CREDENTIAL,
      isOther ? one : credential,
      say`${`credentials.${index}`} in ${file}`,
    );
  });
}

const CREDENTIAL = valueThat<Credential>(
  isCredential,
  say`an object with an api_key of its own, api_secret and merchant_id, each a non-empty string (an api_secret that starts with whsec_ continues with base64)`,
);

/** @param title names the file in messages. @throws CliError for a file that is no object of known members. */
async function readObject(
  title: Message,
  file: string,
  flag: string,
  known: readonly string[],
  io: Io,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(pathIn(io, file), "utf8").catch((error: Error) => {
    throw usageError(
      say`${title} cannot be read: ${unreadable(error)}.`,
      say`Pass an existing file with ${flag}.`,
    );
  });
  const value = parseObject(title, text);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  const meant = closest(unknown, known);
  throw usageError(
    say`${title} has the unknown member ${JSON.stringify(unknown)}.`,
    meant === undefined ? say`Use one of ${known.join(", ")}.` : say`Did you mean "${meant}"?`,
  );
}

/** The members of a file's text. @param title names the file in messages. @throws CliError for other text. */
export function parseObject(title: Words, text: string): Readonly<Record<string, unknown>> {
  const content = withoutByteOrderMark(text);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw usageError(say`${title} is not JSON: ${jsonError(content)}.`);
  }
  if (isObject(value)) return value;
  throw usageError(say`${title} is not a JSON object.`);
}
