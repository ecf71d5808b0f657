import * as z from "zod";
import { PAYOUT_STATUSES, type PayoutOutcome, toWirePayout } from "../../core/records/payout.ts";
import { toAnswer } from "../calls/answer.ts";
import { readOptionalJson } from "../parse/body.ts";
import { readId } from "../calls/call.ts";
import { readToken } from "../calls/headers.ts";
import { listQuery, PAGE, readQuery, toPage } from "../parse/query.ts";
import { unknownRecord } from "../calls/refusals.ts";
import { defineRoute } from "../definitions/route.ts";
import { pageOf } from "../schemas/members.ts";
import { payout, payoutExample } from "../schemas/payout.ts";

const payoutPage = pageOf(payout, {
  id: "PayoutPage",
  description: "Payouts in the order of their creation.",
  example: payoutExample,
});

const query = listQuery({ ...PAGE, status: z.enum(PAYOUT_STATUSES).optional() });

/** A route that moves a waiting payout to a final status. */
const movePayout = (move: "complete" | "cancel", status: PayoutOutcome, summary: string) =>
  defineRoute({
    path: `/_sandbox/payouts/{id}/${move}`,
    method: "POST",
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
    path: "/_sandbox/payouts",
    method: "GET",
    id: "listPayouts",
    tag: "Records",
    summary: "Lists payouts.",
    caller: "integration",
    query,
    answer: payoutPage,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      const { status, ...request } = readQuery(call, query);
      const page = await gateway.read(readToken(call), (view) => view.payouts(request, status));
      return toPage(request, page, (one) =>
        toWirePayout(one, gateway.assumptionsOf(one.integration)),
      );
    },
  }),

  defineRoute({
    path: "/_sandbox/payouts/{id}",
    method: "GET",
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

  movePayout("complete", "completed", "Completes a waiting payout."),
  movePayout("cancel", "canceled", "Cancels a waiting payout."),
];
