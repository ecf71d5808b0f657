import { PIX_KEY_TYPES } from "./new-record.tsx";
import { resendAction } from "./webhook.tsx";
import { newestWebhooks } from "../state/webhooks-of.ts";
import { useRecordKeys } from "../state/keys.ts";
import { Actions } from "../parts/action.tsx";
import { Body } from "../parts/body.tsx";
import { DetailHead, Facts, NotFound, WholeId } from "../parts/detail.tsx";
import { Status } from "../parts/status.tsx";
import { Copied, cpfText, Money, Outside, recordNoun, Time } from "../parts/text.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { type Action, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { useRecord } from "../state/record.ts";
import { payouts } from "../state/sandbox.ts";
import type { WirePayout } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** One payout: how much and its status, what can be done with it, and all that has happened to it. */
export function PayoutDetail({ id }: { readonly id: string }) {
  const found = useRecord("payouts", id, payouts);
  const payout = found.row;
  const webhook = newestWebhooks.value.get(id);
  const resend = webhook && resendAction(webhook);
  useRecordKeys({ r: () => resend && void run(resend) });
  if (!payout) return <NotFound title={recordNoun("payouts")} id={id} found={found} />;
  return (
    <>
      <DetailHead
        id={id}
        title={<Money value={payout.value} />}
        status={<Status of="payout" status={payout.status} isChip />}
        actions={
          <Actions actions={[...payoutActions(payout), ...(resend ? [resend] : [])]} isShort />
        }
        about={
          <>
            {t(say`Payout to`)} <Outside text={payout.receiver_name} /> ·{" "}
            {cpfText(payout.receiver_cpf)} · <Outside text={payout.receiver_email} />
          </>
        }
      />
      <Facts
        facts={[
          [t(say`Id`), <WholeId key="" id={id} />, "wide"],
          [
            t(say.for("label")`Pix key`),
            <Outside key="" text={`${payout.pix_key} (${keyType(payout)})`} />,
          ],
          [t(say`Created`), <Time key="" at={payout.created_at} />],
          [t(say`Integration`), <Outside key="" text={payout.integration} />],
          [
            t(say`Webhook URL`),
            <Copied key="" text={payout.webhook_url} label={t(say`Copy the address`)} />,
            "wide",
          ],
          [
            t(say`End-to-end id`),
            payout.end_to_end_id === null ? null : <Copied key="" text={payout.end_to_end_id} />,
            "wide",
          ],
        ]}
      />
      <Timeline payout={payout} />
      <details>
        <summary>JSON</summary>
        <Body text={JSON.stringify(payout)} />
      </details>
    </>
  );
}

function keyType({ pix_key_type: type }: WirePayout): string {
  const word = PIX_KEY_TYPES[type];
  return word ? t(word) : type;
}

/** What can be done with a waiting payout. */
export function payoutActions({ id, status, integration }: WirePayout): readonly Action[] {
  if (status !== "waiting") return [];
  const move = (name: "complete" | "cancel", label: string): Action => ({
    label,
    method: "POST",
    path: `/payouts/${id}/${name}`,
    command: ["payout", name, id],
    integration,
    isMain: name === "complete",
    isDanger: name === "cancel",
  });
  return [move("complete", t(say`Complete`)), move("cancel", t(say`Cancel the payout`))];
}
