import { toSafeLine } from "../../text/plain/safe-text.ts";
import { RESET } from "../../core/state/wire-routes.ts";
import { defineCommand } from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";
import { toFullTime } from "../terminal/times.ts";
import { say } from "../../text/message.ts";

export const resetCommand = defineCommand("reset", {
  route: RESET,
  show({ integration, now, mode }) {
    const whose = integration === null ? localize(say`All integrations`) : toSafeLine(integration);
    return say`${whose}: reset. The time is ${toFullTime(new Date(now))} (${mode} clock).`;
  },
  examples: ["reset", "reset --token worker-1"],
});
