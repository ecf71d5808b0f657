import { PAYOUT_STATUSES } from "../../core/records/transaction.ts";
import { Empty } from "../parts/empty.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { NewLink } from "../parts/new-button.tsx";
import { statusWord } from "../parts/status.tsx";
import { PayoutRow } from "../parts/transaction-row.tsx";
import { counted } from "../state/counted.ts";
import { t } from "../state/language.ts";
import { loadOlder, payouts } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";

/** The payouts, newest first. */
export function PayoutList() {
  return (
    <ListPane
      label={t(say`Payouts`)}
      rows={payouts}
      statuses={PAYOUT_STATUSES}
      wordOf={(status) => statusWord("payout", status)}
      beside={<NewLink pane="payouts" />}
      hasStatus={(payout, status) => payout.status === status}
      View={PayoutRow}
      counted={counted.payouts}
      idOf={({ id }) => id}
      onEnd={() => loadOlder("payouts")}
      empty={
        <Empty text={t(say`There are no payouts yet.`)}>
          <NewLink pane="payouts" />
        </Empty>
      }
    />
  );
}
