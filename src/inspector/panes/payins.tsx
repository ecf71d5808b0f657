import { PAYIN_STATUSES } from "../../core/records/payin.ts";
import { Empty } from "../parts/empty.tsx";
import type { Column } from "../parts/list.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { integrationColumn, recordColumns } from "../parts/record-columns.tsx";
import { Outside } from "../parts/text.tsx";
import { payinActions } from "../details/payin.tsx";
import { run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { loadOlder, payins } from "../state/sandbox.ts";
import type { WirePayin } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** The payins, newest first. */
export function PayinList() {
  return (
    <ListPane
      label="Payins"
      rows={payins}
      statuses={PAYIN_STATUSES}
      hasStatus={(payin, status) => payin.status === status}
      columns={columns()}
      idOf={({ id }) => id}
      keysOf={(payin) => ({
        p: () =>
          payinActions(payin)
            .slice(0, 1)
            .forEach((one) => void run(one)),
      })}
      onEnd={() => loadOlder("payins")}
      empty={
        <Empty
          text={t(say`There are no payins yet. Create one:`)}
          command={["payin", "create", "--value", "10.50"]}
        />
      }
    />
  );
}

const columns = (): readonly Column<WirePayin>[] => [
  ...recordColumns(),
  {
    title: t(say`Buyer`),
    width: "minmax(11rem, 1fr)",
    cell: ({ buyer_name }) => <Outside text={buyer_name} />,
    isExtra: true,
  },
  integrationColumn(),
];
