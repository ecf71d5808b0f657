import type { Command } from "commander";
import type { Environment } from "../../core/environment.ts";
import type { ClientOptions } from "../client.ts";
import type { Io } from "../io.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { renderExports } from "../variables.ts";

export function envCommand(io: Io): Command {
  const command = clientCommand("env")
    .description("print what points a program at the sandbox, for a shell to eval")
    .action(async ({ json, ...options }: ClientOptions & { json?: boolean }) => {
      const environment = await clientFor(options).control<Environment>("GET", "/env");
      if (json) io.printJson(environment);
      else io.print(renderExports(environment));
    });
  return withExamples(command, ["env", 'env --token my-shop; eval "$(pix-sandbox env)"']);
}
