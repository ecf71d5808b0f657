import { DELIVERY_STATUSES, EVENT_TYPES } from "../../core/records/delivery.ts";
import { ONLY_STATUS } from "../records/create-record.ts";
import { idOf, oneOf } from "../definition/parameters.ts";

/** The options that select webhooks. */
export const FILTER = {
  type: oneOf(EVENT_TYPES, "type", { en: "only this event type", pt: "só este tipo de evento" }),
  transaction_id: idOf(
    "transaction",
    {
      en: "only of this payin or payout: its id, a unique beginning of it, last, or a payin's BR Code",
      pt: "só deste payin ou payout: o id, um começo único dele, last, ou o BR Code de um payin",
    },
    { flag: "transaction" },
  ),
  status: oneOf(DELIVERY_STATUSES, "status", ONLY_STATUS),
};
