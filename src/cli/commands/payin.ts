import type { WirePayin } from "../../core/records/transaction.ts";
import { PAYIN_FILTERS } from "../../core/state/filters.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { PROGRAM } from "../../platform/program.ts";
import { CREATED, ID, INTEGRATION, STATUS, VALUE } from "../records/columns.ts";
import { urlOption } from "../client/command-client.ts";
import { createPayin, IDEMPOTENCY_KEY, PAYIN_FIELDS } from "../records/create-record.ts";
import { defineGroup, defineOwnCommand } from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";
import { defineList, filterFlags } from "../records/list.ts";
import { flag } from "../definition/parameters.ts";
import { renderRecord } from "../output/render.ts";
import type { Table } from "../terminal/table.ts";
import { defineMove, defineShow } from "./records.ts";
import { say } from "../../text/message.ts";

export const PAYINS: Table<WirePayin> = {
  none: say`No payins.`,
  columns: [
    ID,
    STATUS,
    VALUE,
    CREATED,
    { title: say`BUYER`, text: ({ buyer_name }) => buyer_name, least: 12 },
    INTEGRATION,
  ],
};

const create = defineOwnCommand("payin create", {
  summary: say`create a payin`,
  flags: {
    ...PAYIN_FIELDS,
    idempotency_key: IDEMPOTENCY_KEY,
    qr: flag(say`draw the QR code in the terminal`),
    open: flag(say`open the payer's page in the browser`),
  },
  async run({ idempotency_key, qr, open, ...fields }, { io, client, json, connection: { token } }) {
    const payin = await createPayin(client, fields, { token, idempotency_key });
    const page = `/_sandbox/pay/${payin.id}`;
    if (open) {
      const { openBrowser } = await import("../terminal/open-browser.ts");
      await openBrowser(`${client.url}${page}`, io);
    }
    if (json) return io.printJson(payin);
    const { id, status, value, qr_code, expires_at } = payin;
    io.print(renderRecord({ id, status, value, ...(!qr && { qr_code }), expires_at }));
    if (qr) {
      const { drawQrCode } = await import("../terminal/draw-qr.ts");
      io.print(drawQrCode(qr_code, io.color));
    }
    // Others can open the page below the public URL only.
    const { public_url: publicUrl } = await client.call("GET /about");
    const next = `${PROGRAM} pay last${urlOption(client.url)}`;
    io.printError(`\n${localize(say`Next`)}: ${next}`);
    return io.printError(
      `${localize(say`Pay it in a browser`)}: ${toSafeLine(`${publicUrl ?? client.url}${page}`)}`,
    );
  },
  examples: [
    "payin create --value 10.50 --qr",
    "payin create --webhook-url http://localhost:3000/pix",
    "payin create --json | jq -r .qr_code",
  ],
});

const list = defineList("payin list", {
  summary: say`list the newest payins, the newest last`,
  route: "GET /payins",
  of: "payin",
  flags: filterFlags(PAYIN_FILTERS),
  table: PAYINS,
  examples: ["payin list", "payin list --status waiting --json"],
});

export const payinCommand = defineGroup(
  "payin",
  ["payin create --value 10.50 --qr", "payin list --status waiting"],
  [
    create,
    list,
    defineShow("payin", "GET /payins/{id}"),
    defineMove("payin pay", "POST /payins/{id}/pay", say`pay a payin, as its buyer would`),
    defineMove("payin cancel", "POST /payins/{id}/cancel", say`cancel a waiting payin`),
    defineMove("payin expire", "POST /payins/{id}/expire", say`expire a waiting payin now`),
  ],
);
