import { PROGRAM } from "../../platform/program.ts";
import {
  type CommandBuilder,
  defineGroup,
  defineOwnCommand,
} from "../definition/define-command.ts";
import { idOf, oneOf } from "../definition/parameters.ts";
import { showMoved, SOME_ID } from "./records.ts";
import { type Message, say } from "../../text/message.ts";

/** The status is part of the gateway's specification, and surprises: the webhook is called `payin.paid`. */
const NOT_PAID = say`Its status is completed, not paid: a simulation always completes.\nOnly a payer pays: use ${PROGRAM} pay last, on a payin that waits.`;

const STATUSES = ["completed", "canceled"] as const;

const ROUTES = {
  payin: { show: "GET /payins/{id}", simulate: "POST /v1/payins/simulations" },
  payout: { show: "GET /payouts/{id}", simulate: "POST /v1/payouts/simulations" },
} as const;

function defineSimulation(noun: "payin" | "payout", summary: Message): CommandBuilder {
  const route = ROUTES[noun];
  return defineOwnCommand(`simulate ${noun}`, {
    summary,
    arguments: { id: idOf(noun) },
    flags: {
      status: oneOf(STATUSES, "status", say`the new status`, { default: "completed" }),
    },
    async run({ id, status }, run) {
      const { io, client, json } = run;
      // Only the integration of a record can simulate it.
      const { integration: token } = await client.call(route.show, { id });
      const values = { transaction_id: id, status };
      const response = await client.call(route.simulate, values, { token });
      if (json) return io.printJson(response);
      // The gateway's own message is in its language, and calls a payout a charge too.
      await showMoved(noun, { id, status }, run);
      if (noun === "payin" && status === "completed") io.printError(NOT_PAID);
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
    defineSimulation("payin", say`complete a payin`),
    defineSimulation("payout", say`complete or cancel a payout`),
  ],
);
