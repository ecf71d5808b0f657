import { useMemo } from "preact/hooks";
import { resendAction } from "../details/webhook.tsx";
import { Actions } from "../parts/action.tsx";
import { Empty } from "../parts/empty.tsx";
import { ListPane } from "../parts/list-pane.tsx";
import { Outcome } from "../parts/outcome.tsx";
import { SampleButton } from "../parts/new-button.tsx";
import { Row } from "../parts/row.tsx";
import { Shape, statusWord } from "../parts/status.tsx";
import { Outside, shortAddress, Time } from "../parts/text.tsx";
import { type Action, run } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { counted } from "../state/counted.ts";
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
      label={t(say`Webhooks`)}
      rows={deliveries}
      statuses={WEBHOOK_STATUSES}
      wordOf={(status) => statusWord("webhook", status)}
      hasStatus={(delivery, status) => shownStatus(delivery) === status}
      View={WebhookRow}
      counted={counted.webhooks}
      idOf={({ id }) => id}
      keysOf={(delivery) => ({ r: () => void run(resendAction(delivery)) })}
      onEnd={() => loadOlder("deliveries")}
      empty={
        <Empty text={t(say`There are no webhooks yet. A payment causes one.`)}>
          <SampleButton />
        </Empty>
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

/** A webhook in a list: its event and the last result, and where it goes. */
function WebhookRow({ row }: { readonly row: WireDelivery }) {
  const { type, url, attempts, created_at } = row;
  void deliveries.version.value;
  const last = attempts.at(-1) as { status?: number; error?: string } | undefined;
  return (
    <Row
      mark={<Shape status={shownStatus(row)} />}
      title={<code>{type}</code>}
      value={last && <Outcome status={last.status} error={t(say`no response`)} />}
      note={
        <>
          {statusWord("webhook", shownStatus(row))}
          {attempts.length > 1 && ` · ${t(say`${attempts.length} attempts`)}`} ·{" "}
          <Outside text={shortAddress(url)} />
        </>
      }
      end={<Time at={created_at} />}
    />
  );
}
