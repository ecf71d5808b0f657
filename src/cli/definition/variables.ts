import { type Environment, VARIABLES } from "../../wire/names.ts";
import { usageError } from "../terminal/errors.ts";
import { quotedWord, toSafeLine } from "../../text/plain/safe-text.ts";
import { say } from "../../text/message.ts";

/** The names of each variable; without an entry, its own. */
export type Renames = ReadonlyMap<keyof Environment, readonly string[]>;

/**
 * Reads `NAME=VARIABLE` pairs; NAME may leave out `PIX_SANDBOX_`.
 * @throws CliError for an invalid pair.
 */
export function readRenames(pairs: readonly string[]): Renames {
  const renames = new Map<keyof Environment, string[]>();
  for (const pair of pairs) {
    const [, given = "", variable] = /^([^=]*)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(pair) ?? [];
    const name = VARIABLES.find((one) =>
      [one, one.slice("PIX_SANDBOX_".length)].includes(given.toUpperCase()),
    );
    if (variable === undefined || name === undefined) {
      throw usageError(
        say`Invalid --as ${JSON.stringify(pair)}.`,
        say`Use a form such as PIX_SANDBOX_BASE_URL=PAYMENTS_URL. The variables are ${VARIABLES.join(", ")}.`,
      );
    }
    renames.set(name, [...(renames.get(name) ?? []), variable]);
  }
  return renames;
}

/** An environment with the sandbox's variables, without another sandbox's. */
export function withVariables(
  base: Readonly<Record<string, string | undefined>>,
  environment: Environment,
  renames: Renames,
): Record<string, string | undefined> {
  const rest = { ...base };
  for (const name of VARIABLES) delete rest[name];
  return { ...rest, ...named(environment, renames) };
}

/** The sandbox's variables by their new names. */
export function named(environment: Environment, renames: Renames): Record<string, string> {
  return Object.fromEntries(
    VARIABLES.flatMap((name) =>
      (renames.get(name) ?? [name]).map((variable) => [variable, environment[name]]),
    ),
  );
}

/** Renders lines for eval in a POSIX shell. */
export function renderExports(variables: Readonly<Record<string, string>>): string {
  return lines(variables, (name, value) => `export ${name}=${quotedWord(value)}`);
}

/** Renders unquoted lines, for `$GITHUB_ENV` and `docker --env-file`. */
export function renderPlain(variables: Readonly<Record<string, string>>): string {
  return lines(variables, (name, value) => `${name}=${value}`);
}

function lines(
  variables: Readonly<Record<string, string>>,
  render: (name: string, value: string) => string,
): string {
  return Object.entries(variables)
    .map(([name, value]) => render(name, toSafeLine(value)))
    .join("\n");
}
