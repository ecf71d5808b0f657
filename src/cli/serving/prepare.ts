import path from "node:path";
import type { Command } from "commander";
import { type AssumptionChanges, readChoice } from "../../core/assumptions/table.ts";
import { toSafeText } from "../../text/plain/safe-text.ts";
import {
  COMMAND_ROWS,
  type CommandOptions,
  flagOf,
  memberOf,
  type OptionName,
  type SandboxOptions,
} from "../../server/options/options.ts";
import { isFile } from "../../server/options/state-kinds.ts";
import { type Check, loneCertificateFile } from "../../server/options/option-checks.ts";
import { usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { applyConfig, configFileOf, readProfileFile } from "./config-file.ts";
import { readOptions, sourceOf, stateOf } from "./read-options.ts";
import { type Message, say } from "../../text/message.ts";

/** An option's name in messages: the flag, or the member of the config file that sets it. */
export type NameOf = (option: OptionName) => string;

/** Everything that a start needs, from the command line, the environment and the config file. */
export interface Prepared {
  readonly options: CommandOptions;
  readonly sandboxOptions: SandboxOptions;
  readonly stateFile: string | undefined;
  /** The folder of the default state file. */
  readonly ownFolder: string | undefined;
  readonly nameOf: NameOf;
  readonly report: (text: Message) => void;
}

/**
 * @param assume pairs `NAME=CHOICE` instead of those of the command's `--assume`
 * @throws CliError for options that are invalid or contradict each other.
 */
export async function prepareStart(
  command: Command,
  io: Io,
  assume?: readonly string[],
): Promise<Prepared> {
  const file = configFileOf(readOptions(command), io);
  const config = file === undefined ? undefined : await applyConfig(file, command, io);
  const nameOf: NameOf = (option) =>
    sourceOf(command, option) === "config"
      ? localize(say`${memberOf(option)} in ${file ?? ""}`)
      : `--${flagOf(option)}`;
  const options = readOptions(command);
  refuseTwoStates(command);
  const stateFile = stateOf(command, options);
  const report = (text: Message): void =>
    io.printError(toSafeText(`pix-sandbox: ${localize(text)}`));
  for (const [name, { check }] of COMMAND_ROWS) refuseInvalid(check, options[name], nameOf(name));
  refuseHalfCertificate(options, nameOf);
  const assumptions = readAssumptions(assume ?? options.assumptions ?? []);
  const ownFolder =
    stateFile !== undefined && sourceOf(command, "stateFile") === "default"
      ? path.dirname(pathIn(io, stateFile))
      : undefined;
  const profile =
    options.profile === undefined ? undefined : await readProfileFile(options.profile, io);
  const credentials = config?.credentials;
  if (profile?.assumptions.credentials === "listed" && !credentials?.length) {
    delete profile.assumptions.credentials;
    report(
      say`The profile ${profile.name} accepts only listed tokens, but the config file lists no credentials: every token is accepted.`,
    );
  }
  const sandboxOptions = {
    ...toSandboxOptions({ ...options, stateFile }, io),
    assumptions: { ...config?.assumptions, ...assumptions },
    profile,
    credentials,
  };
  return { options, sandboxOptions, stateFile, ownFolder, nameOf, report };
}

/** The options that a sandbox takes. Files of the command line are in the working directory. */
function toSandboxOptions(options: Readonly<Record<string, unknown>>, io: Io): SandboxOptions {
  const place = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(place);
    return typeof value === "string" && isFile(value) ? pathIn(io, value) : value;
  };
  const passed = COMMAND_ROWS.filter(([, { takenBy }]) => takenBy.includes("startSandbox"));
  return Object.fromEntries(
    passed.map(([name, { argument }]) => [
      name,
      argument === "file" ? place(options[name]) : options[name],
    ]),
  );
}

/** @throws CliError if flags select both a state file and none. */
function refuseTwoStates(command: Command): void {
  const isFlag = (option: OptionName) => sourceOf(command, option) === "cli";
  if (!isFlag("memory") || !isFlag("stateFile")) return;
  throw usageError(
    say`--memory and --state contradict each other.`,
    say`Use --state to store the records in a file, or --memory to store nothing.`,
  );
}

function refuseHalfCertificate(options: CommandOptions, nameOf: NameOf): void {
  const lone = loneCertificateFile(options);
  if (lone === undefined) return;
  const names = [nameOf("tlsCert"), nameOf("tlsKey")] as const;
  const [given, missing] = lone === "tlsCert" ? names : names.toReversed();
  throw usageError(
    say`${given} also needs ${missing}.`,
    say`Pass the certificate and its key, or --https for a self-signed certificate.`,
  );
}

/** Checks the texts that commander has not checked. */
function refuseInvalid(
  { kind, accepts, item, rule, isSecret }: Check,
  given: unknown,
  name: string,
): void {
  if (item && Array.isArray(given)) for (const one of given) refuseInvalid(item, one, name);
  if (kind !== "text" || typeof given !== "string" || accepts(given)) return;
  const value = isSecret ? "…" : JSON.stringify(given);
  throw usageError(say`Invalid ${name} ${value}.`, say`Use ${rule}.`);
}

/** Reads pairs `NAME=CHOICE`. @throws CliError */
export function readAssumptions(pairs: readonly string[]): AssumptionChanges {
  const changes: Record<string, string | number> = {};
  for (const pair of pairs) {
    const [, name = pair, choice = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    const read = readChoice(name, choice);
    if ("refusal" in read) throw usageError(`--assume ${pair}: ${localize(read.refusal)}`);
    changes[name] = read.choice;
  }
  return changes;
}
