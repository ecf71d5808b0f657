import { defineOwnCommand } from "../define-command.ts";

export const openapiCommand = defineOwnCommand("openapi", {
  isLocal: true,
  async run(_given, { io, json }) {
    const { describeApi } = await import("../../server/tools/tools.ts");
    const description = await describeApi();
    if (json) io.printJson(description);
    else io.print(JSON.stringify(description, null, 2));
  },
  examples: ["openapi", "openapi --json", "openapi > openapi.json"],
});
