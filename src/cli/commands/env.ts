import type { Command } from "commander";
import type { Environment } from "../../core/environment.ts";
import type { ClientOptions } from "../client.ts";
import type { Io } from "../io.ts";
import { clientCommand, clientFor, collect, withExamples } from "../options.ts";
import { named, readRenames, renderExports, renderPlain } from "../variables.ts";

interface EnvOptions extends ClientOptions {
  readonly as?: readonly string[];
  readonly plain?: boolean;
  readonly json?: boolean;
}

export function envCommand(io: Io): Command {
  const command = clientCommand("env")
    .description("print what points a program at the sandbox, for a shell to eval")
    .option("--as <name=variable>", "print a variable under another name; may be repeated", collect)
    .option("--plain", "print name=value a line, as $GITHUB_ENV and docker --env-file take it")
    .action(async ({ as = [], plain, json, ...options }: EnvOptions) => {
      const renames = readRenames(as);
      const environment = await clientFor(options).control<Environment>("GET", "/env");
      if (json) return io.printJson(environment);
      const variables = named(environment, renames);
      return io.print(plain ? renderPlain(variables) : renderExports(variables));
    });
  return withExamples(command, [
    "env",
    'env --token my-shop; eval "$(pix-sandbox env)"',
    "env --plain --as BASE_URL=PIX_API_URL >> $GITHUB_ENV",
  ]);
}
