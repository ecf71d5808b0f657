import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  type AssumptionChanges,
  type Credential,
  type Profile,
  readChoice,
} from "../../core/assumptions/table.ts";
import { withoutByteOrderMark, jsonError } from "../../wire/json.ts";
import { isSigningSecret } from "../../wire/forms.ts";
import { fromIso } from "../../wire/timestamp.ts";
import { unreadable } from "../../text/file-reason.ts";
import { closest } from "../../text/suggestion.ts";
import { filledText, isObject, textThat } from "../../server/options/option-checks.ts";
import { COMMAND_ROWS, type CommandOptions, memberOf } from "../../server/options/options.ts";
import { usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { readValue } from "./value.ts";
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
  const { name = path.basename(file, ".json"), assumptions, observed = {} } = members;
  return {
    name: readValue(filledText, name, say`${"name"} in ${file}`),
    assumptions: readAssumptions(assumptions, file),
    observed: readObserved(observed, file),
  };
}

function readAssumptions(given: unknown, file: string): AssumptionChanges {
  const place = say`${"assumptions"} in ${file}`;
  if (!isObject(given)) throw invalid(place, say`Use an object of choices by assumption name.`);
  const changes: Record<string, string | number> = {};
  for (const [name, choice] of Object.entries(given)) {
    const read = readChoice(name, choice);
    if ("refusal" in read) throw usageError(say`${place}: ${read.refusal}`);
    changes[name] = read.choice;
  }
  return changes;
}

function readObserved(given: unknown, file: string): Profile["observed"] {
  const isObservation = (one: unknown) => isObject(one) && isTime(one["at"]);
  if (isObject(given) && Object.values(given).every(isObservation)) return given;
  const rule = say`Use an object of observations by assumption name.`;
  throw invalid(say`${"observed"} in ${file}`, rule);
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && fromIso(value) !== undefined;
}

/** The members of a credential, with their checks. */
const CREDENTIAL = {
  api_key: filledText,
  api_secret: textThat(
    isSigningSecret,
    say`whsec_ and base64, or another text that is not empty`,
    true,
  ),
  merchant_id: filledText,
};

function readCredentials(given: unknown, file: string): readonly Credential[] {
  const all = say`${"credentials"} in ${file}`;
  if (!Array.isArray(given) || !given.every((one) => isObject(one)))
    throw invalid(all, say`Use a list of objects.`);
  const credentials = given.map((one, index) => {
    const place = `credentials.${index}.`;
    refuseUnknown(say`The config file ${file}`, one, Object.keys(CREDENTIAL), place);
    const read = (name: keyof typeof CREDENTIAL): string =>
      readValue(CREDENTIAL[name], one[name], say`${place + name} in ${file}`);
    return {
      apiKey: read("api_key"),
      apiSecret: read("api_secret"),
      merchantId: read("merchant_id"),
    };
  });
  if (new Set(credentials.map(({ apiKey }) => apiKey)).size < credentials.length)
    throw invalid(all, say`Each credential needs its own api_key.`);
  return credentials;
}

function invalid(place: Message, rule: Message): Error {
  return usageError(say`Invalid value ${"…"} for ${place}.`, rule);
}

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
  const content = withoutByteOrderMark(text);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw usageError(say`${title} is not JSON: ${jsonError(content)}.`);
  }
  if (!isObject(value)) throw usageError(say`${title} is not a JSON object.`);
  refuseUnknown(title, value, known);
  return value;
}

/** @param place of the object, such as `credentials.0.` */
function refuseUnknown(title: Message, value: object, known: readonly string[], place = ""): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = closest(unknown, known);
  throw usageError(
    say`${title} has the unknown member ${JSON.stringify(place + unknown)}.`,
    meant === undefined ? say`Use one of ${known.join(", ")}.` : say`Did you mean "${meant}"?`,
  );
}
