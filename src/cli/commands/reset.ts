import { toSafeLine } from "../../text/safe-text.ts";
import { RESET } from "../../core/state/wire-routes.ts";
import { defineCommand } from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";

export const resetCommand = defineCommand("reset", {
  route: RESET,
  show({ integration, now, mode }) {
    const whose =
      integration === null
        ? localize({ en: "All integrations", pt: "Todas as integrações" })
        : toSafeLine(integration);
    return localize({
      en: `${whose}: reset. The time is ${now} (${mode} clock).`,
      pt: `${whose}: reset feito. A hora é ${now} (relógio ${mode}).`,
    });
  },
  examples: ["reset", "reset --token worker-1"],
});
