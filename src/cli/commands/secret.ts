import { SHOW_SECRET } from "../../core/state/wire-routes.ts";
import { defineCommand } from "../definition/define-command.ts";

export const secretCommand = defineCommand("secret", {
  route: SHOW_SECRET,
  show: ({ secret }) => secret,
  examples: ["secret", "secret > .webhook-secret"],
});
