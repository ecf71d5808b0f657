import { useComputed } from "@preact/signals";
import { Empty } from "../parts/empty.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { NewLink, SampleButton } from "../parts/new-button.tsx";
import { type OtherEvent, viewOf } from "../parts/other-event.tsx";
import { Row } from "../parts/row.tsx";
import { Time } from "../parts/text.tsx";
import { PayinRow, PayoutRow } from "../parts/transaction-row.tsx";
import { RequestRow } from "./requests.tsx";
import { type Activity, transactionOf } from "../state/activity.ts";
import { t } from "../state/language.ts";
import { toFragment } from "../state/place.ts";
import { activity, payins, payouts } from "../state/sandbox.ts";
import { type Message, plural, say } from "../../text/message.ts";

/** The kinds of rows, as the filter names them. */
const KINDS: Readonly<Record<string, Message>> = {
  payin: say`Payins`,
  payout: say`Payouts`,
  request: say`Other requests`,
  fault: say`Faults`,
  clock: say`Clock`,
  assumptions: say`Assumptions`,
  snapshot: say`Snapshots`,
};

/** Everything that happens, newest first: one row for each payin and payout. */
export function ActivityList() {
  return (
    <ListPane
      label={t(say`Activity`)}
      rows={activity}
      statuses={Object.keys(KINDS)}
      wordOf={(kind) => (KINDS[kind] ? t(KINDS[kind]) : kind)}
      anyText={t(say`Everything`)}
      beside={<NewLink pane="payins" />}
      hasStatus={(row, kind) => kindOf(row) === kind}
      searched={(row) => [payins.get(row.key) ?? payouts.get(row.key), row.event]}
      View={ActivityRow}
      counted={(count) => plural(count, say`${count} row`, say`${count} rows`)}
      idOf={({ key }) => key}
      linkOf={linkOf}
      empty={
        <Empty text={t(say`Nothing has happened yet. Create a payin and pay it:`)}>
          <NewLink pane="payins" />
          <SampleButton />
        </Empty>
      }
    />
  );
}

function kindOf({ event }: Activity): string {
  const transaction = transactionOf(event);
  if (transaction) return transaction.pane === "payins" ? "payin" : "payout";
  if (event.kind === "held" || event.kind === "released") return "fault";
  return event.kind === "reset" ? "snapshot" : event.kind;
}

function linkOf({ key, event }: Activity): string {
  const isRecord = event.kind === "request" || transactionOf(event) !== undefined;
  return isRecord ? toFragment({ pane: "activity", id: key }) : viewOf(event as OtherEvent).link;
}

function ActivityRow({ row }: { readonly row: Activity }) {
  const { event, key, at } = row;
  // Not read from the rows here: they change often, and this record seldom.
  const payin = useComputed(() => (payins.version.value, payins.get(key))).value;
  const payout = useComputed(() => (payouts.version.value, payouts.get(key))).value;
  if (payin) return <PayinRow row={payin} />;
  if (payout) return <PayoutRow row={payout} isMixed />;
  if (event.kind === "request") return <RequestRow row={event.data} />;
  const { what, detail } =
    transactionOf(event) === undefined
      ? viewOf(event as OtherEvent)
      : { what: <code>{key}</code>, detail: "" };
  return (
    <Row
      mark={
        <span class="over" aria-hidden="true">
          ·
        </span>
      }
      title={what}
      note={detail}
      end={<Time at={at} />}
    />
  );
}
