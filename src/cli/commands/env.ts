import type { Command } from "commander";
import type { Environment } from "../../wire/environment.ts";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { clientCommand, clientFor, collect, withExamples } from "../options.ts";
import { named, readRenames, renderExports, renderPlain } from "../variables.ts";
import { localize } from "../language.ts";
import { arg } from "../placeholders.ts";
import { PROGRAM } from "../../platform/program.ts";

interface EnvOptions extends ClientOptions {
  readonly as?: readonly string[];
  readonly plain?: boolean;
  readonly json?: boolean;
}

export function envCommand(io: Io): Command {
  const command = clientCommand("env")
    .option(
      `--as ${arg("name=variable")}`,
      localize({
        en: "print a variable under another name; repeatable",
        pt: "imprime uma variável com outro nome; pode se repetir",
      }),
      collect,
    )
    .option(
      "--plain",
      localize({
        en: "print one name=value per line, for $GITHUB_ENV and docker --env-file",
        pt: "imprime um nome=valor por linha, para $GITHUB_ENV e docker --env-file",
      }),
    )
    .action(async ({ as = [], plain, json, ...options }: EnvOptions) => {
      const renames = readRenames(as);
      const environment = await clientFor(options).control<Environment>("GET", "/env");
      if (json) return io.printJson(environment);
      const variables = named(environment, renames);
      return io.print(plain ? renderPlain(variables) : renderExports(variables));
    });
  return withExamples(command, [
    "env",
    `env --token my-shop; eval "$(${PROGRAM} env)"`,
    "env --plain --as BASE_URL=PIX_API_URL >> $GITHUB_ENV",
  ]);
}
