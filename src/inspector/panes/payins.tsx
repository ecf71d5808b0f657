import { PAYIN_STATUSES } from "../../core/records/payin.ts";
import { useMemo } from "preact/hooks";
import { Empty } from "../parts/empty.tsx";
import { Filter, matches } from "../parts/filter.tsx";
import { type Column, List } from "../parts/list.tsx";
import { Status } from "../parts/status.tsx";
import { Id, Money, Outside, Time } from "../parts/text.tsx";
import { payinActions } from "../details/payin.tsx";
import { run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { place } from "../state/navigation.ts";
import { loadOlder, payins } from "../state/sandbox.ts";
import type { WirePayin } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** The payins, newest first. */
export function PayinList() {
  const { status, q } = place.value;
  const isShown = useMemo(
    () =>
      status || q
        ? (payin: WirePayin) => (!status || payin.status === status) && (!q || matches(q, payin))
        : undefined,
    [status, q],
  );
  return (
    <>
      <Filter statuses={PAYIN_STATUSES} />
      <List
        label="Payins"
        rows={payins}
        isShown={isShown}
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
    </>
  );
}

const columns = (): readonly Column<WirePayin>[] => [
  {
    title: t(say`Created`),
    width: "7.5rem",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  { title: "Id", width: "7.5rem", cell: ({ id }) => <Id id={id} /> },
  {
    title: "Status",
    width: "7.5rem",
    cell: ({ status }) => <Status status={status} />,
  },
  {
    title: t(say`Value`),
    width: "7rem",
    cell: ({ value }) => <Money value={value} />,
    isWide: true,
  },
  {
    title: t(say`Buyer`),
    width: "minmax(11rem, 1fr)",
    cell: ({ buyer_name }) => <Outside text={buyer_name} />,
    isExtra: true,
  },
  {
    title: t(say`Integration`),
    width: "minmax(6rem, 10rem)",
    cell: ({ integration }) => <Outside text={integration} />,
    isExtra: true,
  },
];
