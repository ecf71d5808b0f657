import type { Column } from "./list.tsx";
import { Status } from "./status.tsx";
import { Id, Money, Outside, Time } from "./text.tsx";
import { t } from "../state/language.ts";
import type { WirePayin, WirePayout } from "../state/wire.ts";
import { say } from "../../text/message.ts";

type Transaction = WirePayin | WirePayout;

/** The first columns of payins and of payouts. */
export const recordColumns = (): readonly Column<Transaction>[] => [
  { title: t(say`Created`), width: "7.5rem", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Id", width: "7.5rem", cell: ({ id }) => <Id id={id} /> },
  { title: "Status", width: "7.5rem", cell: ({ status }) => <Status status={status} /> },
  {
    title: t(say`Value`),
    width: "7rem",
    cell: ({ value }) => <Money value={value} />,
    isWide: true,
  },
];

export const integrationColumn = (): Column<Transaction> => ({
  title: t(say`Integration`),
  width: "minmax(6rem, 10rem)",
  cell: ({ integration }) => <Outside text={integration} />,
  isExtra: true,
});
