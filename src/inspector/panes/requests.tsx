import { RecordLink } from "../details/request.tsx";
import { Empty } from "../parts/empty.tsx";
import type { Column } from "../parts/list.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { Outcome } from "../parts/outcome.tsx";
import { Outside, Time } from "../parts/text.tsx";
import { t } from "../state/language.ts";
import { loadOlder, requests } from "../state/sandbox.ts";
import type { WireRequest } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** The filters by status: a class of HTTP statuses, or the requests whose client did not get the response. */
const STATUSES = ["2xx", "4xx", "5xx", "lost"] as const;

/** The requests that the gateway received, newest first. */
export function RequestList() {
  return (
    <ListPane
      label={t(say`Requests`)}
      rows={requests}
      statuses={STATUSES}
      hasStatus={hasStatus}
      columns={columns()}
      idOf={({ id }) => id}
      onEnd={() => loadOlder("requests")}
      empty={
        <Empty
          text={t(say`The gateway has received no requests yet. Send one:`)}
          command={["payin", "create", "--value", "10.50"]}
        />
      }
    />
  );
}

function hasStatus({ status, lost }: WireRequest, wanted: string): boolean {
  return wanted === "lost" ? lost : `${Math.floor(status / 100)}xx` === wanted;
}

const columns = (): readonly Column<WireRequest>[] => [
  {
    title: t(say`Time`),
    width: "6.7rem",
    cell: ({ at }) => <Time at={at} />,
  },
  {
    title: t(say`Request`),
    width: "minmax(16rem, 1.5fr)",
    cell: ({ method, path }) => (
      <code>
        <Outside text={`${method} ${path}`} />
      </code>
    ),
  },
  {
    title: t(say`Status`),
    width: "5.5rem",
    // The client of a lost response has seen no status.
    cell: ({ status, lost }) =>
      lost ? <Outcome error={t(say`lost`)} /> : <Outcome status={status} />,
  },
  {
    title: t(say`Duration`),
    width: "5.5rem",
    cell: ({ duration_ms }) => `${duration_ms} ms`,
    isExtra: true,
  },
  {
    title: t(say`Record`),
    width: "8.5rem",
    cell: (request) => <RecordLink request={request} />,
    isExtra: true,
  },
  {
    title: t(say`Integration`),
    width: "minmax(5rem, 1fr)",
    cell: ({ integration }) => (integration ? <Outside text={integration} /> : null),
    isExtra: true,
  },
];
