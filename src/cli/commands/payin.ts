import type { Command } from "commander";
import { PAYIN_STATUSES, type WirePayin } from "../../core/records/payin.ts";
import { toSafeLine } from "../../text/safe-text.ts";
import type { WireAbout } from "../../core/state/wire.ts";
import { type ClientOptions, urlOption } from "../command-client.ts";
import { createPayin, type PayinFields, withPayinFields } from "../create-record.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { openBrowser } from "../open-browser.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { drawQrCode } from "../draw-qr.ts";
import { CREATED, ID, INTEGRATION } from "../columns.ts";
import { renderRecord } from "../render.ts";
import type { Table } from "../table.ts";
import { listCommand, moveCommand, showCommand } from "./records.ts";
import { arg } from "../placeholders.ts";
import { CliCommand } from "../command.ts";
import { PROGRAM } from "../../platform/program.ts";

interface CreateOptions extends ClientOptions, PayinFields {
  readonly idempotencyKey?: string;
  readonly qr?: boolean;
  readonly open?: boolean;
  readonly json?: boolean;
}

export function payinCommand(io: Io): Command {
  const command = new CliCommand("payin")
    .addCommand(createCommand(io))
    .addCommand(listCommand(io, "payin", PAYIN_STATUSES, PAYINS))
    .addCommand(showCommand(io, "payin"))
    .addCommand(
      moveCommand(io, "payin", "pay", {
        en: "pay a payin, as its buyer would",
        pt: "paga um payin, como o comprador faria",
      }),
    )
    .addCommand(
      moveCommand(io, "payin", "cancel", {
        en: "cancel a waiting payin",
        pt: "cancela um payin em espera",
      }),
    )
    .addCommand(
      moveCommand(io, "payin", "expire", {
        en: "expire a waiting payin now",
        pt: "expira agora um payin que espera",
      }),
    );
  return withExamples(command, ["payin create --value 10.50 --qr", "payin list --status waiting"]);
}

function createCommand(io: Io): Command {
  const command = withPayinFields(
    clientCommand("create").description(localize({ en: "create a payin", pt: "cria um payin" })),
  )
    .option(
      `--idempotency-key ${arg("key")}`,
      localize({
        en: "the idempotency key (default: a new one)",
        pt: "a chave de idempotência (padrão: uma nova)",
      }),
    )
    .option(
      "--qr",
      localize({ en: "draw the QR code in the terminal", pt: "desenha o QR Code no terminal" }),
    )
    .option(
      "--open",
      localize({
        en: "open the payer's page in the browser",
        pt: "abre no navegador a página de pagamento",
      }),
    )
    .action(async (options: CreateOptions) => {
      const client = clientFor(options);
      const payin = await createPayin(client, options);
      const page = `/_sandbox/pay/${payin.id}`;
      if (options.open) await openBrowser(`${client.url}${page}`, io);
      if (options.json) return io.printJson(payin);
      io.print(renderRecord(payin));
      if (options.qr) io.print(drawQrCode(payin.qr_code, io.color));
      // Others can open the page below the public URL only.
      const { public_url: publicUrl } = await client.control<WireAbout>("GET", "/about");
      const next = `${PROGRAM} simulate payin ${payin.id}${urlOption(client.url)}`;
      io.printError(`\n${localize({ en: "Next", pt: "A seguir" })}: ${next}`);
      return io.printError(
        `${localize({ en: "Pay it in a browser", pt: "Pague no navegador" })}: ${toSafeLine(`${publicUrl ?? client.url}${page}`)}`,
      );
    });
  return withExamples(command, [
    "payin create --value 10.50 --qr",
    "payin create --webhook-url http://localhost:3000/pix",
    "payin create --json | jq -r .qr_code",
  ]);
}

export const PAYINS: Table<WirePayin> = {
  none: { en: "No payins.", pt: "Nenhum payin." },
  columns: [
    ID,
    { title: "STATUS", text: ({ status }) => status },
    { title: { en: "VALUE", pt: "VALOR" }, text: ({ value }) => String(value) },
    CREATED,
    {
      title: { en: "BUYER", pt: "COMPRADOR" },
      text: ({ buyer_name }) => buyer_name,
      least: 12,
    },
    INTEGRATION,
  ],
};
