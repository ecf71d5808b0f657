import { type Command, Option } from "commander";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { clientCommand, clientFor, someText, withExamples } from "../options.ts";
import { idHelp, resolveId } from "../resolve-id.ts";
import { localize } from "../language.ts";
import { CliCommand } from "../command.ts";
import { printMoved } from "./records.ts";
import { PROGRAM } from "../../platform/program.ts";

interface SimulateOptions extends ClientOptions {
  readonly status: string;
  readonly json?: boolean;
}

export function simulateCommand(io: Io): Command {
  const command = new CliCommand("simulate")
    .addCommand(simulationCommand(io, "payin"))
    .addCommand(simulationCommand(io, "payout"));
  return withExamples(command, [
    "simulate payin 5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10",
    "simulate payout last --status canceled",
  ]);
}

/** The status is part of the gateway's specification, and surprises: the webhook is called `payin.paid`. */
const NOT_PAID = {
  en: `Its status is completed, not paid: a simulation always completes.\nOnly a payer pays: use ${PROGRAM} payin pay ID, on a payin that waits.`,
  pt: `O status é completed, e não paid: uma simulação sempre conclui.\nSó um pagador paga: use ${PROGRAM} payin pay ID, em um payin que espera.`,
};

function simulationCommand(io: Io, noun: "payin" | "payout"): Command {
  const command = clientCommand(noun)
    .description(
      localize(
        noun === "payin"
          ? { en: "complete a payin", pt: "conclui um payin" }
          : { en: "complete or cancel a payout", pt: "conclui ou cancela um payout" },
      ),
    )
    .argument("<id>", idHelp(noun), someText)
    .addOption(
      new Option("--status <status>", localize({ en: "the new status", pt: "o novo status" }))
        .choices(["completed", "canceled"])
        .default("completed"),
    )
    .action(async (given: string, { status, json, ...options }: SimulateOptions) => {
      const client = clientFor(options);
      const id = await resolveId(client, noun, given);
      // Only the integration of a record can simulate it.
      const { integration } = await client.control<{ integration: string }>(
        "GET",
        `/${noun}s/${id}`,
      );
      const body = { transaction_id: id, status };
      const answer = await client.gateway("POST", `/${noun}s/simulations`, body, {
        token: integration,
      });
      if (json) return io.printJson(answer);
      // The gateway's own message is in its language, and calls a payout a charge too.
      printMoved(io, noun, { id, status });
      if (noun === "payin" && status === "completed") io.printError(localize(NOT_PAID));
      return undefined;
    });
  return withExamples(command, [
    `simulate ${noun} last${noun === "payout" ? " --status canceled" : ""}`,
    `simulate ${noun} 5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10`,
  ]);
}
