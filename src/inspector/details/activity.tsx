import { PayinDetail } from "./payin.tsx";
import { PayoutDetail } from "./payout.tsx";
import { RequestDetail } from "./request.tsx";
import { transactionOf } from "../state/activity.ts";
import { activity, payouts } from "../state/sandbox.ts";

/** The record of a row of the activity: a payin, a payout or a request. */
export function ActivityDetail({ id }: { readonly id: string }) {
  // A link can be opened before anything is loaded.
  void activity.version.value;
  const event = activity.get(id)?.event;
  if (id.startsWith("req_")) return <RequestDetail id={id} />;
  const pane = event && transactionOf(event)?.pane;
  if (pane === "payouts" || payouts.get(id)) return <PayoutDetail id={id} />;
  return <PayinDetail id={id} />;
}
