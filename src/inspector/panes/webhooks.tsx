import { useMemo } from "preact/hooks";
import { resendAction, TransactionLink } from "../details/webhook.tsx";
import { Actions } from "../parts/action.tsx";
import { Empty } from "../parts/empty.tsx";
import type { Column } from "../parts/list.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { Outcome } from "../parts/outcome.tsx";
import { Status } from "../parts/status.tsx";
import { Id, Outside, Time } from "../parts/text.tsx";
import { type Action, run } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { t } from "../state/language.ts";
import { place } from "../state/navigation.ts";
import { deliveries, loadOlder } from "../state/sandbox.ts";
import { shownStatus, WEBHOOK_STATUSES } from "../state/webhook.ts";
import type { WireDelivery } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** The webhooks, newest first. */
export function WebhookList() {
  return (
    <ListPane
      label="Webhooks"
      rows={deliveries}
      statuses={WEBHOOK_STATUSES}
      hasStatus={(delivery, status) => shownStatus(delivery) === status}
      columns={columns()}
      idOf={({ id }) => id}
      keysOf={(delivery) => ({ r: () => void run(resendAction(delivery)) })}
      onEnd={() => loadOlder("deliveries")}
      empty={
        <Empty
          text={t(say`There are no webhooks yet. Cause one:`)}
          command={["trigger", "payin.paid"]}
        />
      }
    >
      <ResendFailed />
    </ListPane>
  );
}

/** The action that sends all failed webhooks again, if there are any. */
function ResendFailed() {
  const version = deliveries.version.value;
  const count = useMemo(countFailed, [version]);
  if (count === 0) return null;
  return (
    <div class="bulk" data-testid="bulk">
      <Actions actions={[resendFailedAction(count, deliveries.hasOlder.value)]} />
    </div>
  );
}

function countFailed(): number {
  let count = 0;
  for (const { status } of deliveries) if (status === "failed") count++;
  return count;
}

/** @param isLeast whether older webhooks that the page has not loaded can have failed too */
function resendFailedAction(count: number, isLeast: boolean): Action {
  const number = isLeast ? `${count}+` : String(count);
  const integration = scope.value;
  const { q } = place.value;
  const question = t(
    integration === null
      ? say`Resend the failed webhooks (${number}) of all integrations?`
      : say`Resend the failed webhooks (${number}) of the integration "${integration}"?`,
  );
  const note = t(say`The search "${q ?? ""}" has no effect on this.`);
  return {
    label: t(say`Resend all failed (${number})`),
    method: "POST",
    path: "/deliveries/resend",
    body: { status: "failed" },
    command: ["webhooks", "resend", "--status", "failed"],
    question: q ? `${question} ${note}` : question,
  };
}

const columns = (): readonly Column<WireDelivery>[] => [
  {
    title: t(say`Created`),
    width: "6.7rem",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  { title: "Id", width: "8.6rem", cell: ({ id }) => <Id id={id} />, isExtra: true },
  {
    title: t(say`Type`),
    width: "minmax(9rem, 9.5rem)",
    cell: ({ type }) => type,
  },
  {
    title: t(say`Transaction`),
    width: "5.8rem",
    cell: (delivery) => <TransactionLink delivery={delivery} />,
    isExtra: true,
  },
  {
    title: t(say`Status`),
    width: "6.5rem",
    cell: (delivery) => <Status status={shownStatus(delivery)} />,
  },
  {
    title: t(say`Last result`),
    width: "minmax(8.5rem, 1fr)",
    cell: ({ attempts }) => {
      const last = attempts.at(-1) as { status?: number; error?: string } | undefined;
      return last && <Outcome status={last.status} error={last.error} />;
    },
    isExtra: true,
  },
  {
    title: t(say`Attempts`),
    width: "5.2rem",
    cell: ({ attempts }) => attempts.length,
    isExtra: true,
  },
  {
    title: t(say`Address`),
    width: "minmax(10rem, 1.5fr)",
    cell: ({ url }) => <Outside text={url} />,
    isExtra: true,
  },
];
