import * as z from "zod";
import { readBrCode } from "../../core/records/br-code.ts";
import { invalidFields } from "../../core/records/errors.ts";
import type { Payin, Payout, Transaction } from "../../core/records/transaction.ts";
import { PAYIN_FILTERS, PAYOUT_FILTERS, TRANSACTION_FILTERS } from "../../core/state/filters.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { collection } from "../definitions/collection.ts";
import { route } from "../definitions/route.ts";
import { payin, payout, transaction } from "../schemas/records.ts";
import { type Message, say } from "../../text/message.ts";

/** Payins and payouts, and the moves of their buyers and receivers. */
export const recordRoutes = {
  ...collection("transactions", {
    noun: "transaction",
    row: transaction,
    summary: "Lists payins and payouts in one list, each with the status of its newest webhook.",
    filters: TRANSACTION_FILTERS,
    page: ({ view }, ...wanted) => view.page("transactions", ...wanted),
    find: ({ view }, id) => view.find("transactions", id),
    toWire: ({ kind, record }: Transaction, { gateway }: Context) => {
      const webhook = gateway.newestDeliveryOf(record.id)?.status ?? null;
      return { ...record, kind, webhook } as z.output<typeof transaction>;
    },
  }),

  ...collection("payins", {
    noun: "payin",
    row: payin,
    filters: PAYIN_FILTERS,
    page: ({ view }, ...wanted) => view.records("payin", ...wanted),
    find: ({ view }, id) => view.transaction("payin", id)?.record,
    toWire: (one: Payin) => one,
    moves: {
      pay: "Pays a waiting payin, as its buyer would.",
      cancel: "Cancels a waiting payin.",
      expire: "Expires a waiting payin before its time.",
    },
    async move(verb, { token, id }, { gateway }) {
      return (await gateway.move(token, "payin", id, verb))?.record as Payin | undefined;
    },
  }),

  "POST /pay": route({
    summary: "Pays the waiting payin that a BR Code belongs to.",
    body: z.strictObject({
      code: z.string().trim().min(1).describe("A BR Code (Pix Copia e Cola)."),
    }),
    rules: { code: say`code must be text.` },
    answer: payin,
    async run({ token, body: { code } }, context) {
      const { gateway } = context;
      const location = toLocation(code);
      const found = await gateway.read(token, (view) => view.payinAt(location));
      const paid = found && (await gateway.move(token, "payin", found.record.id, "pay"));
      if (paid?.kind === "payin") return paid.record;
      throw new HttpRefusal(404, gateway.codes.isOwn(location) ? NO_PAYIN : foreign(location));
    },
  }),

  ...collection("payouts", {
    noun: "payout",
    row: payout,
    filters: PAYOUT_FILTERS,
    page: ({ view }, ...wanted) => view.records("payout", ...wanted),
    find: ({ view }, id) => view.transaction("payout", id)?.record,
    toWire: (one: Payout) => one,
    moves: { complete: "Completes a waiting payout.", cancel: "Cancels a waiting payout." },
    async move(verb, { token, id }, { gateway }) {
      return (await gateway.move(token, "payout", id, verb))?.record as Payout | undefined;
    },
  }),
};

/**
 * The location of a charge's code.
 * @throws GatewayError with the field of the BR Code that is wrong, HttpRefusal 404 for a code without a location
 */
function toLocation(text: string): string {
  const { location, defect } = readBrCode(text);
  if (defect) throw invalidFields([{ field: "code", code: "INVALID_VALUE", message: defect.text }]);
  if (location === undefined) throw new HttpRefusal(404, NO_LOCATION);
  return location;
}

function foreign(location: string): Message {
  return say`The code is not of this sandbox: its location is ${location}. Pay it where it was created.`;
}

const NO_PAYIN = say`No payin has this code. It may belong to another integration or sandbox, or to a payin that a reset deleted.`;
const NO_LOCATION = say`The code has a Pix key or a recurrence, but no location (26-25): it is not a payin's code.`;
