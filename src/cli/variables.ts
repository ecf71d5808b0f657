import { type Environment, VARIABLES } from "../core/environment.ts";
import { usageError } from "./errors.ts";
import { localize } from "./language.ts";
import { toSafeLine } from "../core/safe-text.ts";

/** Under which names a variable of the sandbox goes; its own where there is none. */
export type Renames = ReadonlyMap<keyof Environment, readonly string[]>;

/**
 * Reads `NAME=VARIABLE` pairs; NAME may leave out `PIX_SANDBOX_`.
 * @throws CliError for what is none.
 */
export function readRenames(pairs: readonly string[]): Renames {
  const renames = new Map<keyof Environment, string[]>();
  for (const pair of pairs) {
    const [, said = "", variable] = /^([^=]*)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(pair) ?? [];
    const name = VARIABLES.find((one) =>
      [one, one.slice("PIX_SANDBOX_".length)].includes(said.toUpperCase()),
    );
    if (variable === undefined || name === undefined) {
      throw usageError(
        localize({
          en: `Invalid --as ${JSON.stringify(pair)}.`,
          pt: `--as inválido: ${JSON.stringify(pair)}.`,
        }),
        localize({
          en: `Use a form such as PIX_SANDBOX_BASE_URL=PAYMENTS_URL. The variables are ${VARIABLES.join(", ")}.`,
          pt: `Use uma forma como PIX_SANDBOX_BASE_URL=PAYMENTS_URL. As variáveis são ${VARIABLES.join(", ")}.`,
        }),
      );
    }
    renames.set(name, [...(renames.get(name) ?? []), variable]);
  }
  return renames;
}

/** Surroundings with the sandbox's variables in them, and no other sandbox's. */
export function withVariables(
  surroundings: Readonly<Record<string, string | undefined>>,
  environment: Environment,
  renames: Renames,
): Record<string, string | undefined> {
  const rest = { ...surroundings };
  for (const name of VARIABLES) delete rest[name];
  return { ...rest, ...named(environment, renames) };
}

/** The sandbox's variables under the names that are wanted. */
export function named(environment: Environment, renames: Renames): Record<string, string> {
  return Object.fromEntries(
    VARIABLES.flatMap((name) =>
      (renames.get(name) ?? [name]).map((variable) => [variable, environment[name]]),
    ),
  );
}

/** Lines that any POSIX shell takes in with eval. */
export function renderExports(variables: Readonly<Record<string, string>>): string {
  return lines(variables, (name, value) => `export ${name}=${quoted(value)}`);
}

/** Lines of names and values as they are, for files that know no quotes: `$GITHUB_ENV`, `docker --env-file`. */
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
