import { PAYOUT_STATUSES } from "../../core/records/payout.ts";
import { Empty } from "../parts/empty.tsx";
import type { Column } from "../parts/list.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { integrationColumn, recordColumns } from "../parts/record-columns.tsx";
import { Outside } from "../parts/text.tsx";
import { t } from "../state/language.ts";
import { loadOlder, payouts } from "../state/sandbox.ts";
import type { WirePayout } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** The payouts, newest first. */
export function PayoutList() {
  return (
    <ListPane
      label="Payouts"
      rows={payouts}
      statuses={PAYOUT_STATUSES}
      hasStatus={(payout, status) => payout.status === status}
      columns={columns()}
      idOf={({ id }) => id}
      onEnd={() => loadOlder("payouts")}
      empty={
        <Empty
          text={t(say`There are no payouts yet. Create one:`)}
          command={["payout", "create", "--value", "10.50"]}
        />
      }
    />
  );
}

const columns = (): readonly Column<WirePayout>[] => [
  ...recordColumns(),
  {
    title: t(say`Receiver`),
    width: "minmax(11rem, 1fr)",
    cell: ({ receiver_name }) => <Outside text={receiver_name} />,
    isExtra: true,
  },
  {
    title: t(say.for("label")`Pix key`),
    width: "minmax(8rem, 1fr)",
    cell: ({ pix_key }) => <Outside text={pix_key} />,
    isExtra: true,
  },
  integrationColumn(),
];
