import { Empty } from "../parts/empty.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { RequestOutcome } from "../parts/outcome.tsx";
import { SampleButton } from "../parts/new-button.tsx";
import { Row } from "../parts/row.tsx";
import { Shape } from "../parts/status.tsx";
import { milliseconds, Outside, recordNoun, shortId, Time } from "../parts/text.tsx";
import { recordOf, refusalOf } from "../state/refusal.ts";
import { t } from "../state/language.ts";
import { loadOlder, requests } from "../state/sandbox.ts";
import type { WireRequest } from "../state/wire.ts";
import { plural, say } from "../../text/message.ts";

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
      View={RequestRow}
      counted={(count) => plural(count, say`${count} request`, say`${count} requests`)}
      idOf={({ id }) => id}
      onEnd={() => loadOlder("requests")}
      empty={
        <Empty text={t(say`The gateway has received no requests yet.`)}>
          <SampleButton />
        </Empty>
      }
    />
  );
}

function hasStatus({ status, lost }: WireRequest, wanted: string): boolean {
  return wanted === "lost" ? lost : `${Math.floor(status / 100)}xx` === wanted;
}

/** A request in a list: what was called and the response, and below it what came of it. */
export function RequestRow({ row }: { readonly row: WireRequest }) {
  const { method, path, status, lost, duration_ms, at } = row;
  const refusal = refusalOf(row);
  const record = recordOf(row);
  return (
    <Row
      mark={<Shape status={status < 300 && !lost ? "paid" : "failed"} />}
      title={
        <code>
          <Outside text={`${method} ${path}`} />
        </code>
      }
      value={<RequestOutcome request={row} />}
      note={
        <>
          {refusal?.code != null && <Outside text={`${refusal.code} · `} />}
          {record && `${recordNoun(record.pane)} ${shortId(record.id)} · `}
          {refusal?.message == null ? (
            milliseconds(duration_ms)
          ) : (
            <Outside text={refusal.message} />
          )}
        </>
      }
      isNoteBad={refusal !== undefined}
      end={<Time at={at} />}
    />
  );
}
