import { defineLoading } from "../definition/define-command.ts";

export const openapiCommand = defineLoading("openapi", {
  isLocal: true,
  load: async () => (await import("../../server/tools/tools.ts")).describeApi(),
  show: (description) => JSON.stringify(description, null, 2),
  examples: ["openapi", "openapi --json", "openapi > openapi.json"],
});
