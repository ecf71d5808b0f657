import { types } from "node:util";
import { type AssumptionChanges, readChoice } from "../../core/assumptions/table.ts";
import { toOrigin } from "../../wire/forms.ts";
import { OptionError, UnusableOptionError } from "./errors.ts";
import { isObject } from "./option-checks.ts";
import { type Option, OPTION_ROWS, type SandboxOptions, type Settings } from "./options.ts";
import { wrongAddress } from "./state-kinds.ts";
import { type Message, say, verbatim } from "../../text/message.ts";
import { closest } from "../../text/suggestion.ts";

/** The options of `startSandbox`, in the order of the table. */
const ROWS = new Map<string, Option>(
  OPTION_ROWS.filter(([, { takenBy }]) => takenBy.includes("startSandbox")),
);

/**
 * Validates the options of a start, which may come from untyped JavaScript.
 * @returns the options with their defaults, and with assumptions and origins in their canonical form.
 * @throws OptionError for an unknown option or an invalid value.
 */
export function validateOptions(options: SandboxOptions): Settings {
  if (!isObject(options)) {
    const given = describe(options);
    throw new OptionError(
      say`The options must be an object, not ${given}. Omit them to use the defaults.`,
    );
  }
  for (const [name, value] of Object.entries(options)) validate(name, value);
  refuseWrongState(options);
  refuseHalfCertificate(options);
  const given: Readonly<Record<string, unknown>> = { ...options };
  const settings = Object.fromEntries(
    [...ROWS].map(([name, row]) => [name, given[name] ?? row.default]),
  ) as unknown as Settings;
  const profile = settings.profile && {
    ...settings.profile,
    assumptions: readAssumptions(settings.profile.assumptions),
  };
  return {
    ...settings,
    assumptions: { ...profile?.assumptions, ...readAssumptions(settings.assumptions) },
    profile,
    corsOrigins: settings.corsOrigins.map((origin) => toOrigin(origin) ?? origin),
  };
}

function refuseWrongState({ stateFile }: SandboxOptions): void {
  const wrong = stateFile === undefined ? undefined : wrongAddress(stateFile);
  if (wrong) throw new UnusableOptionError("stateFile", wrong);
}

function refuseHalfCertificate({ tlsCert, tlsKey }: SandboxOptions): void {
  if (tlsCert !== undefined && tlsKey === undefined)
    throw new UnusableOptionError(
      "tlsCert",
      say`It needs its private key too (tlsKey, --tls-key).`,
    );
  if (tlsKey !== undefined && tlsCert === undefined)
    throw new UnusableOptionError(
      "tlsKey",
      say`It needs its certificate too (tlsCert, --tls-cert).`,
    );
}

function validate(name: string, value: unknown): void {
  const row = ROWS.get(name);
  if (row === undefined) {
    const names = [...ROWS.keys()];
    const meant = closest(name, names);
    throw new OptionError(
      meant === undefined
        ? say`Unknown option ${JSON.stringify(name)}. The options are ${names.join(", ")}.`
        : say`Unknown option ${JSON.stringify(name)}. Did you mean ${JSON.stringify(meant)}?`,
    );
  }
  const { accepts, rule, isSecret } = row.inCode ?? row.check;
  if (value === undefined || accepts(value)) return;
  const given = isSecret ? ANOTHER_VALUE : describe(value);
  throw new OptionError(say`The option ${name} must be ${rule}, not ${given}.`);
}

const ANOTHER_VALUE = say`another value`;

/** @throws OptionError for an unknown assumption or choice. */
function readAssumptions(given: AssumptionChanges): AssumptionChanges {
  const read = Object.entries(given)
    .filter(([, choice]) => choice !== undefined)
    .map(([name, choice]) => [name, readAssumption(name, choice)] as const);
  return Object.fromEntries(read);
}

function readAssumption(name: string, given: unknown): string | number {
  const read = readChoice(name, given);
  if ("choice" in read) return read.choice;
  throw new OptionError(say`The option assumptions: ${read.refusal}`);
}

function describe(value: unknown): Message {
  if (Array.isArray(value)) return say`a list`;
  if (typeof value === "function") return say`a function`;
  if (typeof value === "object" && value !== null && !types.isDate(value)) return say`an object`;
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return verbatim(text);
}
