import { PAYIN_FILTERS } from "../../core/state/filters.ts";
import { toWirePayin, type WirePayin } from "../../core/records/payin.ts";
import {
  CANCEL_PAYIN,
  EXPIRE_PAYIN,
  PAY_PAYIN,
  type WireRoute,
  LIST_PAYINS,
  SHOW_PAYIN,
} from "../../core/state/wire-routes.ts";
import { toAnswer } from "../calls/answer.ts";
import { readOptionalJson } from "../parse/body.ts";
import { readId } from "../calls/call.ts";
import { readToken } from "../calls/headers.ts";
import { filterQuery, listQuery, PAGE, readQuery, toPage } from "../parse/query.ts";
import { unknownRecord } from "../calls/refusals.ts";
import { defineRoute } from "../definitions/route.ts";
import { pageOf } from "../schemas/members.ts";
import { payin, payinExample } from "../schemas/payin.ts";

const payinPage = pageOf(payin, {
  id: "PayinPage",
  description: "Payins in the order of their creation.",
  example: payinExample,
});

const query = listQuery({ ...PAGE, ...filterQuery(PAYIN_FILTERS) });

const movePayin = (move: "pay" | "cancel" | "expire", at: WireRoute<WirePayin>, summary: string) =>
  defineRoute({
    at,
    id: `${move}Payin`,
    tag: "Records",
    summary,
    caller: "integration",
    answer: payin,
    refusals: ["unknownRecord", "final", "unwritable"],
    handle: async (call, { gateway }) => {
      const id = readId(call);
      await readOptionalJson(call);
      const moved = await gateway.movePayin(readToken(call), id, move);
      if (!moved) throw unknownRecord("payin", id);
      return toAnswer(toWirePayin(moved, gateway.assumptionsOf(moved.integration)));
    },
  });

export const routes = [
  defineRoute({
    at: LIST_PAYINS,
    id: "listPayins",
    tag: "Records",
    summary: "Lists payins.",
    caller: "integration",
    query,
    answer: payinPage,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      const request = readQuery(call, query);
      const page = await gateway.read(readToken(call), (view) => view.payins(request));
      return toPage(request, page, (one) =>
        toWirePayin(one, gateway.assumptionsOf(one.integration)),
      );
    },
  }),

  defineRoute({
    at: SHOW_PAYIN,
    id: "showPayin",
    tag: "Records",
    summary: "Shows a payin.",
    caller: "integration",
    answer: payin,
    refusals: ["unknownRecord", "unwritable"],
    handle: async (call, { gateway }) => {
      const id = readId(call);
      const found = await gateway.read(readToken(call), (view) => view.payin(id));
      if (!found) throw unknownRecord("payin", id);
      return toAnswer(toWirePayin(found, gateway.assumptionsOf(found.integration)));
    },
  }),

  movePayin("pay", PAY_PAYIN, "Pays a waiting payin, as its buyer would."),
  movePayin("cancel", CANCEL_PAYIN, "Cancels a waiting payin."),
  movePayin("expire", EXPIRE_PAYIN, "Expires a waiting payin before its time."),
];
