import { PAYIN_STATUSES } from "../../core/records/transaction.ts";
import { Empty } from "../parts/empty.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { NewLink, SampleButton } from "../parts/new-button.tsx";
import { statusWord } from "../parts/status.tsx";
import { PayinRow } from "../parts/transaction-row.tsx";
import { payinActions } from "../details/payin.tsx";
import { run } from "../state/actions.ts";
import { counted } from "../state/counted.ts";
import { t } from "../state/language.ts";
import { loadOlder, payins } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";

/** The payins, newest first. */
export function PayinList() {
  return (
    <ListPane
      label={t(say`Payins`)}
      rows={payins}
      statuses={PAYIN_STATUSES}
      wordOf={(status) => statusWord("payin", status)}
      beside={<NewLink pane="payins" />}
      hasStatus={(payin, status) => payin.status === status}
      View={PayinRow}
      counted={counted.payins}
      idOf={({ id }) => id}
      keysOf={(payin) => ({
        p: () =>
          payinActions(payin)
            .slice(0, 1)
            .forEach((one) => void run(one)),
      })}
      onEnd={() => loadOlder("payins")}
      empty={
        <Empty text={t(say`There are no payins yet.`)}>
          <NewLink pane="payins" />
          <SampleButton />
        </Empty>
      }
    />
  );
}
