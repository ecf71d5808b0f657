import { resendAction } from "./webhook.tsx";
import { newestWebhooks } from "../state/webhooks-of.ts";
import { useRecordKeys } from "../state/keys.ts";
import { Actions } from "../parts/action.tsx";
import { Body } from "../parts/body.tsx";
import { BrCode } from "../parts/br-code.tsx";
import { DetailHead, Facts, NotFound, WholeId } from "../parts/detail.tsx";
import { Status } from "../parts/status.tsx";
import { Copied, cpfText, Money, Outside, recordNoun, Time } from "../parts/text.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { type Action, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { useRecord } from "../state/record.ts";
import { payins } from "../state/sandbox.ts";
import type { WirePayin } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** One payin: how much and its status, what can be done with it, and all that has happened to it. */
export function PayinDetail({ id }: { readonly id: string }) {
  const found = useRecord("payins", id, payins);
  const payin = found.row;
  const actions = payin ? payinActions(payin) : [];
  const webhook = newestWebhooks.value.get(id);
  const resend = webhook && resendAction(webhook);
  useRecordKeys({
    p: () => actions.slice(0, 1).forEach((one) => void run(one)),
    r: () => resend && void run(resend),
  });
  if (!payin) return <NotFound title={recordNoun("payins")} id={id} found={found} />;
  const { status } = payin;
  const code = <BrCode payin={payin} />;
  return (
    <>
      <DetailHead
        id={id}
        title={<Money value={payin.value} />}
        status={<Status of="payin" status={status} isChip />}
        actions={<Actions actions={resend ? [resend, ...actions] : actions} isShort />}
        about={
          <>
            <Outside text={payin.buyer_name} /> · {cpfText(payin.buyer_cpf)} ·{" "}
            <Outside text={payin.buyer_email} />
          </>
        }
      />
      <Facts
        facts={[
          [t(say`Id`), <WholeId key="" id={id} />, "wide"],
          [
            t(say`Description`),
            payin.description ? <Outside key="" text={payin.description} /> : null,
          ],
          [t(say`Created`), <Time key="" at={payin.created_at} />],
          [
            t(say`Expires`),
            status === "waiting" ? <Time key="" at={payin.expires_at} /> : undefined,
          ],
          [t(say`Integration`), <Outside key="" text={payin.integration} />],
          [
            t(say`Webhook URL`),
            <Copied key="" text={payin.webhook_url} label={t(say`Copy the address`)} />,
            "wide",
          ],
          [
            t(say`End-to-end id`),
            payin.end_to_end_id === null ? null : <Copied key="" text={payin.end_to_end_id} />,
            "wide",
          ],
        ]}
      />
      <div class="beside">
        {status === "waiting" && code}
        <Timeline payin={payin} />
        {status !== "waiting" && code}
      </div>
      <details>
        <summary>JSON</summary>
        <Body text={JSON.stringify(payin)} />
      </details>
    </>
  );
}

/** What can be done with a waiting payin; the first action pays it. */
export function payinActions({ id, status, integration }: WirePayin): readonly Action[] {
  if (status !== "waiting") return [];
  const move = (name: "pay" | "expire" | "cancel", label: string): Action => ({
    label,
    method: "POST",
    path: `/payins/${id}/${name}`,
    command: ["payin", name, id],
    integration,
    isMain: name === "pay",
    isDanger: name === "cancel",
  });
  return [
    move("pay", t(say`Pay`)),
    {
      label: t(say`Complete by a simulation`),
      method: "POST",
      path: "/v1/payins/simulations",
      body: { transaction_id: id, status: "completed" },
      isGateway: true,
      command: ["simulate", "payin", id],
      integration,
    },
    move("expire", t(say`Expire`)),
    move("cancel", t(say`Cancel the payin`)),
  ];
}
