import { randomUUID } from "node:crypto";
import { Command } from "commander";
import type { WirePayout } from "../../core/payments/payout.ts";
import { SAMPLE } from "../../api/sample.ts";
import type { ClientOptions } from "../client.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { renderPayouts, renderRecord } from "../render.ts";
import { readNumber } from "../sample.ts";
import { listCommand, moveCommand, showCommand } from "./records.ts";

interface CreateOptions extends ClientOptions {
  readonly value: string;
  readonly description?: string;
  readonly receiverCpf: string;
  readonly receiverName: string;
  readonly receiverEmail: string;
  readonly webhookUrl: string;
  readonly pixKey?: string;
  readonly pixKeyType: string;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

export function payoutCommand(io: Io): Command {
  const command = new Command("payout")
    .description("create, list and settle payouts")
    .addCommand(createCommand(io))
    .addCommand(listCommand(io, "payout", ["waiting", "completed", "canceled"], renderPayouts))
    .addCommand(showCommand(io, "payout"))
    .addCommand(moveCommand(io, "payout", "complete", "complete a waiting payout"))
    .addCommand(moveCommand(io, "payout", "cancel", "cancel a waiting payout"));
  return withExamples(command, ["payout create --value 25", "payout list --status waiting"]);
}

function createCommand(io: Io): Command {
  const command = clientCommand("create")
    .description("create a payout")
    .option("--value <number>", "the amount", SAMPLE.value)
    .option("--description <text>", "up to 140 characters")
    .option("--receiver-cpf <cpf>", "11 digits", SAMPLE.cpf)
    .option("--receiver-name <text>", "who gets it", SAMPLE.name)
    .option("--receiver-email <email>", "who gets it", SAMPLE.email)
    .option(
      "--webhook-url <url>",
      "who is told when it is completed or canceled",
      SAMPLE.webhookUrl,
    )
    .option("--pix-key <key>", "where it goes; default: the receiver's CPF")
    .option("--pix-key-type <type>", "cpf, email, phone or evp", "cpf")
    .option("--idempotency-key <key>", "repeat an earlier call; default: a new one")
    .action(async (options: CreateOptions) => {
      const client = clientFor(options);
      const body = {
        value: readNumber(options.value),
        description: options.description,
        receiver_cpf: options.receiverCpf,
        receiver_name: options.receiverName,
        receiver_email: options.receiverEmail,
        webhook_url: options.webhookUrl,
        pix_key: options.pixKey ?? options.receiverCpf,
        pix_key_type: options.pixKeyType,
      };
      const headers = { "x-idempotency-key": options.idempotencyKey ?? randomUUID() };
      const { id } = await client.gateway<{ id: string }>(
        "POST",
        "/v1/payouts",
        options.token ?? SAMPLE.token,
        body,
        headers,
      );
      const payout = await client.control<WirePayout>("GET", `/payouts/${id}`);
      if (options.json) return io.printJson(payout);
      io.print(renderRecord(payout));
      return io.say(`\n${nextStep(payout)}`);
    });
  return withExamples(command, [
    "payout create --value 25 --receiver-cpf 52998224725",
    "payout create --pix-key maria@example.com --pix-key-type email",
  ]);
}

function nextStep({ id, status }: WirePayout): string {
  return status === "canceled"
    ? t`It was canceled at once: this receiver has another payout in progress (assumption payout.rival).`
    : t`Next: pix-sandbox simulate payout ${id} --status completed`;
}
