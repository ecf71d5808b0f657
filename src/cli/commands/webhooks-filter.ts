import { EVENT_TYPES } from "../../core/records/transaction.ts";
import { DELIVERY_STATUSES } from "../../core/records/delivery.ts";
import { ONLY_STATUS } from "../../core/state/filters.ts";
import { idOf, oneOf } from "../definition/parameters.ts";
import { say } from "../../text/message.ts";

export const FILTER = {
  type: oneOf(EVENT_TYPES, "type", say`only this event type`),
  transaction_id: idOf(
    "transaction",
    say`only of this payin or payout: its id, a unique beginning of it, last, or a payin's BR Code`,
    { flag: "transaction" },
  ),
  status: oneOf(DELIVERY_STATUSES, "status", ONLY_STATUS),
};
