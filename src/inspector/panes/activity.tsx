import { viewOf } from "../parts/activity-line.tsx";
import { Empty } from "../parts/empty.tsx";
import type { Column } from "../parts/list.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { Id, Time } from "../parts/text.tsx";
import type { Activity } from "../state/activity.ts";
import { t } from "../state/language.ts";
import { activity } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";

/** The kinds of lines, as the filter names them. */
const KINDS = [
  "payin",
  "payout",
  "delivery",
  "attempt",
  "request",
  "fault",
  "clock",
  "assumptions",
  "snapshot",
  "reset",
] as const;

/** Everything that happens, newest first. */
export function ActivityList() {
  return (
    <ListPane
      label={t(say`Activity`)}
      rows={activity}
      statuses={KINDS}
      statusLabel={t(say`Kind`)}
      hasStatus={({ event }, kind) => event.kind === kind}
      searched={({ event }) => event}
      columns={columns()}
      idOf={({ key }) => key}
      linkOf={(line) => viewOf(line).link}
      empty={
        <Empty
          text={t(say`Nothing has happened yet. Create a payin and pay it:`)}
          command={["trigger", "payin.paid"]}
        />
      }
    />
  );
}

const columns = (): readonly Column<Activity>[] => [
  {
    title: t(say`Time`),
    width: "7rem",
    cell: ({ at, realAt }) => <Time at={at} realAt={realAt} />,
  },
  {
    title: t(say`Event`),
    width: "minmax(12rem, 30rem)",
    cell: (line) => viewOf(line).what,
    isWide: true,
  },
  {
    title: "Status",
    width: "8rem",
    cell: (line) => viewOf(line).status,
  },
  {
    title: "Id",
    width: "9rem",
    cell: (line) => {
      const { id } = viewOf(line);
      return id !== undefined && <Id id={id} />;
    },
  },
  {
    title: t(say`Value`),
    width: "minmax(6rem, 1fr)",
    cell: (line) => viewOf(line).value,
    isExtra: true,
  },
];
