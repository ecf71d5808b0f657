import { Actions } from "../parts/action.tsx";
import { Body } from "../parts/body.tsx";
import { DetailHead, Facts, NotFound } from "../parts/detail.tsx";
import { Money, Outside, Time } from "../parts/text.tsx";
import { Timeline } from "../parts/timeline.tsx";
import type { Action } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { useRecord } from "../state/record.ts";
import { payouts } from "../state/sandbox.ts";
import type { WirePayout } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** One payout: what it is, what can be done with it, and all that has happened to it. */
export function PayoutDetail({ id }: { readonly id: string }) {
  const found = useRecord("payouts", id, payouts);
  const payout = found.row;
  if (!payout) return <NotFound title="Payout" id={id} found={found} />;
  return (
    <>
      <DetailHead title="Payout" id={id} status={payout.status} />
      <Actions actions={payoutActions(payout)} />
      <Facts
        facts={[
          [t(say`Value`), <Money key="" value={payout.value} />],
          [t(say`Receiver`), <Outside key="" text={payout.receiver_name} />],
          ["CPF", <Outside key="" text={payout.receiver_cpf} />],
          [
            t(say.for("label")`Pix key`),
            <Outside key="" text={`${payout.pix_key} (${payout.pix_key_type})`} />,
          ],
          [t(say`Created`), <Time key="" at={payout.created_at} withDate />],
          [t(say`Integration`), <Outside key="" text={payout.integration} />],
          [t(say`Webhook URL`), <Outside key="" text={payout.webhook_url} />, "wide"],
        ]}
      />
      <Timeline payout={payout} />
      <details class="raw">
        <summary>JSON</summary>
        <Body text={JSON.stringify(payout)} />
      </details>
    </>
  );
}

/** What can be done with a waiting payout. */
function payoutActions({ id, status, integration }: WirePayout): readonly Action[] {
  if (status !== "waiting") return [];
  const move = (name: "complete" | "cancel", label: string): Action => ({
    label,
    method: "POST",
    path: `/payouts/${id}/${name}`,
    command: ["payout", name, id],
    integration,
    isMain: name === "complete",
  });
  return [move("complete", t(say`Complete`)), move("cancel", t(say`Cancel`))];
}
