import { PAYOUT_FILTERS } from "../../core/state/filters.ts";
import { type PayoutOutcome, toWirePayout, type WirePayout } from "../../core/records/payout.ts";
import {
  CANCEL_PAYOUT,
  COMPLETE_PAYOUT,
  type WireRoute,
  LIST_PAYOUTS,
  SHOW_PAYOUT,
} from "../../core/state/wire-routes.ts";
import { toAnswer } from "../calls/answer.ts";
import { readOptionalJson } from "../parse/body.ts";
import { readId } from "../calls/call.ts";
import { readToken } from "../calls/headers.ts";
import { filterQuery, listQuery, PAGE, readQuery, toPage } from "../parse/query.ts";
import { unknownRecord } from "../calls/refusals.ts";
import { defineRoute } from "../definitions/route.ts";
import { pageOf } from "../schemas/members.ts";
import { payout, payoutExample } from "../schemas/payout.ts";

const payoutPage = pageOf(payout, {
  id: "PayoutPage",
  description: "Payouts in the order of their creation.",
  example: payoutExample,
});

const query = listQuery({ ...PAGE, ...filterQuery(PAYOUT_FILTERS) });

const movePayout = (
  move: "complete" | "cancel",
  at: WireRoute<WirePayout>,
  status: PayoutOutcome,
  summary: string,
) =>
  defineRoute({
    at,
    id: `${move}Payout`,
    tag: "Records",
    summary,
    caller: "integration",
    answer: payout,
    refusals: ["unknownRecord", "final", "unwritable"],
    handle: async (call, { gateway }) => {
      const id = readId(call);
      await readOptionalJson(call);
      const moved = await gateway.movePayout(readToken(call), id, status);
      if (!moved) throw unknownRecord("payout", id);
      return toAnswer(toWirePayout(moved, gateway.assumptionsOf(moved.integration)));
    },
  });

export const routes = [
  defineRoute({
    at: LIST_PAYOUTS,
    id: "listPayouts",
    tag: "Records",
    summary: "Lists payouts.",
    caller: "integration",
    query,
    answer: payoutPage,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      const request = readQuery(call, query);
      const page = await gateway.read(readToken(call), (view) => view.payouts(request));
      return toPage(request, page, (one) =>
        toWirePayout(one, gateway.assumptionsOf(one.integration)),
      );
    },
  }),

  defineRoute({
    at: SHOW_PAYOUT,
    id: "showPayout",
    tag: "Records",
    summary: "Shows a payout.",
    caller: "integration",
    answer: payout,
    refusals: ["unknownRecord", "unwritable"],
    handle: async (call, { gateway }) => {
      const id = readId(call);
      const found = await gateway.read(readToken(call), (view) => view.payout(id));
      if (!found) throw unknownRecord("payout", id);
      return toAnswer(toWirePayout(found, gateway.assumptionsOf(found.integration)));
    },
  }),

  movePayout("complete", COMPLETE_PAYOUT, "completed", "Completes a waiting payout."),
  movePayout("cancel", CANCEL_PAYOUT, "canceled", "Cancels a waiting payout."),
];
