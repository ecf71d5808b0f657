import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../state/language.ts";
import { newestWebhooks } from "../state/webhooks-of.ts";
import { shownStatus } from "../state/webhook.ts";
import type { WireDelivery, WirePayin, WirePayout } from "../state/wire.ts";
import { spanOf, useNow } from "./now.ts";
import { Row } from "./row.tsx";
import { Shape, statusWord } from "./status.tsx";
import { Money, Outside, Time } from "./text.tsx";
import { type Message, say } from "../../text/message.ts";

/** A payin in a list: who pays how much, and what happened last. */
export function PayinRow({ row }: { readonly row: WirePayin }) {
  return <TransactionRow noun="payin" row={row} name={<Outside text={row.buyer_name} />} />;
}

/** A payout in a list. @param isMixed whether payins are in the same list */
export function PayoutRow({
  row,
  isMixed = false,
}: {
  readonly row: WirePayout;
  readonly isMixed?: boolean;
}) {
  return (
    <TransactionRow
      noun="payout"
      row={row}
      name={
        <>
          {isMixed && `${t(say`Payout to`)} `}
          <Outside text={row.receiver_name} />
        </>
      }
    />
  );
}

function TransactionRow(props: {
  readonly noun: "payin" | "payout";
  readonly row: WirePayin | WirePayout;
  readonly name: ComponentChildren;
}) {
  const { noun, row, name } = props;
  const { id, status } = row;
  // Not read from the map here: it changes with each webhook, and this row's seldom.
  const found = useComputed(() => newestWebhooks.value.get(id));
  const webhook = found.value;
  const hasFailed = webhook?.status === "failed";
  return (
    <Row
      mark={<Shape status={hasFailed ? "failed" : status} />}
      title={name}
      value={<Money value={row.value} />}
      note={
        <>
          {statusWord(noun, status)}
          {webhook && ` · ${t(webhookNote(webhook))}`}
          {status === "waiting" && "expires_at" in row && <Expiry at={row.expires_at} />}
        </>
      }
      isNoteBad={hasFailed || isRefused(webhook)}
      end={<Time at={row.settled_at ?? row.created_at} />}
    />
  );
}

/** Whether a webhook has been sent in vain, so far. */
function isRefused(webhook: WireDelivery | undefined): boolean {
  return webhook !== undefined && shownStatus(webhook) === "pending" && webhook.attempts.length > 0;
}

/** When a waiting payin expires. */
function Expiry({ at }: { readonly at: string }) {
  const span = spanOf(Date.parse(at) - useNow());
  return <> · {t(say`expires in ${span}`)}</>;
}

/** What has become of a webhook, in a few words. */
export function webhookNote(delivery: WireDelivery): Message {
  const { attempts } = delivery;
  const count = attempts.length;
  const last = attempts.at(-1) as { readonly status?: number } | undefined;
  switch (shownStatus(delivery)) {
    case "sending":
      return say`webhook is being sent`;
    case "delivered":
      return count > 1 ? say`webhook accepted at attempt ${count}` : say`webhook accepted`;
    case "failed":
      return last?.status === undefined
        ? say`webhook failed (${count}): no response`
        : say`webhook failed (${count}): ${last.status}`;
    case "pending":
      if (count === 0) return say`webhook is due`;
      return last?.status === undefined
        ? say`webhook is tried again: no response`
        : say`webhook is tried again: status ${last.status}`;
  }
}
