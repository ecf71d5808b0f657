import { useMemo } from "preact/hooks";
import { PAYOUT_STATUSES } from "../../core/records/payout.ts";
import { Empty } from "../parts/empty.tsx";
import { Filter, matches } from "../parts/filter.tsx";
import { type Column, List } from "../parts/list.tsx";
import { Status } from "../parts/status.tsx";
import { Id, Money, Outside, Time } from "../parts/text.tsx";
import { t } from "../state/language.ts";
import { place } from "../state/navigation.ts";
import { loadOlder, payouts } from "../state/sandbox.ts";
import type { WirePayout } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** The payouts, newest first. */
export function PayoutList() {
  const { status, q } = place.value;
  const isShown = useMemo(
    () =>
      status || q
        ? (payout: WirePayout) =>
            (!status || payout.status === status) && (!q || matches(q, payout))
        : undefined,
    [status, q],
  );
  return (
    <>
      <Filter statuses={PAYOUT_STATUSES} />
      <List
        label="Payouts"
        rows={payouts}
        isShown={isShown}
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
    </>
  );
}

const columns = (): readonly Column<WirePayout>[] => [
  {
    title: t(say`Created`),
    width: "7.5rem",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  { title: "Id", width: "7.5rem", cell: ({ id }) => <Id id={id} /> },
  { title: "Status", width: "7.5rem", cell: ({ status }) => <Status status={status} /> },
  {
    title: t(say`Value`),
    width: "7rem",
    cell: ({ value }) => <Money value={value} />,
    isWide: true,
  },
  {
    title: t(say`Receiver`),
    width: "minmax(11rem, 1fr)",
    cell: ({ receiver_name }) => <Outside text={receiver_name} />,
    isExtra: true,
  },
  {
    title: t(say.for("label")`PIX key`),
    width: "minmax(8rem, 1fr)",
    cell: ({ pix_key }) => <Outside text={pix_key} />,
    isExtra: true,
  },
  {
    title: t(say`Integration`),
    width: "minmax(6rem, 10rem)",
    cell: ({ integration }) => <Outside text={integration} />,
    isExtra: true,
  },
];
