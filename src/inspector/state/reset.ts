import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type Message, say } from "../../text/message.ts";
import type { Action } from "./actions.ts";
import { counted } from "./counted.ts";
import { t } from "./language.ts";
import { payins, payouts } from "./sandbox.ts";

/** Back to the fixtures, for an integration or (null) for all. */
export function resetAction(integration: string | null): Action {
  const name = toSafeLine(integration ?? "");
  return {
    label: integration === null ? t(say`Reset everything`) : t(say`Reset ${name}`),
    method: "POST",
    path: "/reset",
    command: ["reset"],
    integration,
    isDanger: true,
    question:
      integration === null
        ? t(
            say`Reset everything? This deletes the records of all integrations (${counts()}) and sets the clock back to its start.`,
          )
        : t(say`Reset ${name}? This deletes the records of this integration (${counts()}).`),
  };
}

/** How many records there are now. */
export function counts(): Message {
  return say`${counted.payins(payins.total.value)}, ${counted.payouts(payouts.total.value)}`;
}
