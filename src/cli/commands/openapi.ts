import type { Command } from "commander";
import type { Io } from "../io.ts";
import { jsonOption, withExamples } from "../options.ts";
import { CliCommand } from "../command.ts";

export function openapiCommand(io: Io): Command {
  const command = new CliCommand("openapi")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const { describeApi } = await import("../../server/tools/tools.ts");
      const description = await describeApi();
      if (json) io.printJson(description);
      else io.print(JSON.stringify(description, null, 2));
    });
  return withExamples(command, ["openapi", "openapi --json", "openapi > openapi.json"]);
}
