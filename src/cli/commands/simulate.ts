import {
  SHOW_PAYIN,
  SHOW_PAYOUT,
  SIMULATE_PAYIN,
  SIMULATE_PAYOUT,
} from "../../core/state/wire-routes.ts";
import type { LocalizedText } from "../../text/localized-text.ts";
import { PROGRAM } from "../../platform/program.ts";
import {
  type CommandBuilder,
  defineGroup,
  defineOwnCommand,
} from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";
import { idOf, oneOf } from "../definition/parameters.ts";
import { describeMoved, SOME_ID } from "./records.ts";

/** The status is part of the gateway's specification, and surprises: the webhook is called `payin.paid`. */
const NOT_PAID = {
  en: `Its status is completed, not paid: a simulation always completes.\nOnly a payer pays: use ${PROGRAM} payin pay ID, on a payin that waits.`,
  pt: `O status é completed, e não paid: uma simulação sempre conclui.\nSó um pagador paga: use ${PROGRAM} payin pay ID, em um payin que espera.`,
};

const STATUSES = ["completed", "canceled"] as const;

const ROUTES = {
  payin: { show: SHOW_PAYIN, simulate: SIMULATE_PAYIN },
  payout: { show: SHOW_PAYOUT, simulate: SIMULATE_PAYOUT },
};

function defineSimulation(noun: "payin" | "payout", summary: LocalizedText): CommandBuilder {
  const route = ROUTES[noun];
  return defineOwnCommand(`simulate ${noun}`, {
    summary,
    arguments: { id: idOf(noun) },
    flags: {
      status: oneOf(
        STATUSES,
        "status",
        { en: "the new status", pt: "o novo status" },
        { default: "completed" },
      ),
    },
    async run({ id, status }, { io, client, json }) {
      // Only the integration of a record can simulate it.
      const { integration: token } = await client.call<{ integration: string }, "id">(route.show, {
        id,
      });
      const values = { transaction_id: id, status };
      const response = await client.callGateway(route.simulate, values, { token });
      if (json) return io.printJson(response);
      // The gateway's own message is in its language, and calls a payout a charge too.
      io.print(describeMoved(noun, { id, status }));
      if (noun === "payin" && status === "completed") io.printError(localize(NOT_PAID));
    },
    examples: [
      `simulate ${noun} last${noun === "payout" ? " --status canceled" : ""}`,
      `simulate ${noun} ${SOME_ID}`,
    ],
  });
}

export const simulateCommand = defineGroup(
  "simulate",
  [`simulate payin ${SOME_ID}`, "simulate payout last --status canceled"],
  [
    defineSimulation("payin", { en: "complete a payin", pt: "conclui um payin" }),
    defineSimulation("payout", {
      en: "complete or cancel a payout",
      pt: "conclui ou cancela um payout",
    }),
  ],
);
