import { defineOwnCommand } from "../definition/define-command.ts";

export const mcpCommand = defineOwnCommand("mcp", {
  async run(_given, { connection, io }) {
    const { serveTools } = await import("../mcp/tools.ts");
    const { url, token, providerId, controlToken } = connection;
    const env = {
      ...io.env,
      PIX_SANDBOX_URL: url,
      PIX_SANDBOX_TOKEN: token,
      PIX_SANDBOX_PROVIDER_ID: providerId,
      PIX_SANDBOX_CONTROL_TOKEN: controlToken,
    };
    await serveTools({ ...io, env });
  },
  examples: ["mcp"],
});
