import { toSafeLine } from "../../text/plain/safe-text.ts";
import { defineCommand } from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";
import { toFullTime } from "../terminal/times.ts";
import { say } from "../../text/message.ts";

const DELETED = say`Deleted: payins, payouts, webhooks, keys, faults, requests, webhook\nconfigurations and changes of assumptions. Fixtures are loaded again.`;

export const resetCommand = defineCommand("reset", {
  route: "POST /reset",
  show({ integration, now, mode }) {
    const whose = integration === null ? localize(say`All integrations`) : toSafeLine(integration);
    return say`${whose}: reset. The time is ${toFullTime(new Date(now))} (${mode} clock).\n${DELETED}`;
  },
  examples: ["reset", "reset --token worker-1"],
});
