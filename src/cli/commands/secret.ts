import { defineCommand } from "../definition/define-command.ts";

export const secretCommand = defineCommand("secret", {
  route: "GET /secret",
  show: ({ secret }) => secret,
  examples: ["secret", "secret > .webhook-secret"],
});
