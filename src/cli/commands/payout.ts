import type { WirePayout } from "../../core/records/transaction.ts";
import { PAYOUT_FILTERS } from "../../core/state/filters.ts";
import { PROGRAM } from "../../platform/program.ts";
import { CREATED, ID, INTEGRATION, STATUS, VALUE } from "../records/columns.ts";
import { urlOption } from "../client/command-client.ts";
import type { Calls } from "../../client/calls.ts";
import { createPayout, IDEMPOTENCY_KEY, PAYOUT_FIELDS } from "../records/create-record.ts";
import { defineGroup, defineOwnCommand } from "../definition/define-command.ts";
import { localize, type Words } from "../terminal/language.ts";
import { defineList, filterFlags } from "../records/list.ts";
import { renderRecord } from "../output/render.ts";
import type { Table } from "../terminal/table.ts";
import { defineMove, defineShow } from "./records.ts";
import { say } from "../../text/message.ts";

export const PAYOUTS: Table<WirePayout> = {
  none: say`No payouts.`,
  columns: [
    ID,
    STATUS,
    VALUE,
    CREATED,
    {
      title: say`RECEIVER`,
      text: ({ receiver_name }) => receiver_name,
      least: 12,
    },
    INTEGRATION,
  ],
};

const create = defineOwnCommand("payout create", {
  summary: say`create a payout`,
  flags: { ...PAYOUT_FIELDS, idempotency_key: IDEMPOTENCY_KEY },
  async run({ idempotency_key, ...fields }, { io, client, json, connection: { token } }) {
    const payout = await createPayout(client, fields, { token, idempotency_key });
    if (json) return io.printJson(payout);
    const { id, status, value, receiver_name, pix_key } = payout;
    io.print(renderRecord({ id, status, value, receiver_name, pix_key }));
    return io.printError(`\n${localize(nextStep(payout, client))}`);
  },
  examples: [
    "payout create --value 25 --receiver-cpf 52998224725",
    "payout create --pix-key ana@example.com --pix-key-type email",
  ],
});

function nextStep({ status }: WirePayout, { url }: Calls): Words {
  return status === "canceled"
    ? say`The payout was canceled: this receiver has another payout in progress (assumption payout.rival).`
    : `${localize(say`Next`)}: ${PROGRAM} payout complete last${urlOption(url)}`;
}

const list = defineList("payout list", {
  summary: say`list the newest payouts, the newest last`,
  route: "GET /payouts",
  of: "payout",
  flags: filterFlags(PAYOUT_FILTERS),
  table: PAYOUTS,
  examples: ["payout list", "payout list --status waiting --json"],
});

export const payoutCommand = defineGroup(
  "payout",
  ["payout create --value 25", "payout list --status waiting"],
  [
    create,
    list,
    defineShow("payout", "GET /payouts/{id}"),
    defineMove("payout complete", "POST /payouts/{id}/complete", say`complete a waiting payout`),
    defineMove("payout cancel", "POST /payouts/{id}/cancel", say`cancel a waiting payout`),
  ],
);
