import { useRecordKeys } from "../state/keys.ts";
import { Actions } from "../parts/action.tsx";
import { Body } from "../parts/body.tsx";
import { BrCode } from "../parts/br-code.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { DetailHead, Facts, NotFound } from "../parts/detail.tsx";
import { QrCode } from "../parts/qr-code.tsx";
import { Money, Outside, Time } from "../parts/text.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { type Action, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { useRecord } from "../state/record.ts";
import { about, payins } from "../state/sandbox.ts";
import type { WirePayin } from "../state/wire.ts";
import { say } from "../../text/message.ts";

/** One payin: what it is, what can be done with it, and all that has happened to it. */
export function PayinDetail({ id }: { readonly id: string }) {
  const found = useRecord("payins", id, payins);
  const payin = found.row;
  const actions = payin ? payinActions(payin) : [];
  useRecordKeys({ p: () => actions.slice(0, 1).forEach((one) => void run(one)) });
  if (!payin) return <NotFound title="Payin" id={id} found={found} />;
  return (
    <>
      <DetailHead title="Payin" id={id} status={payin.status} />
      <Actions actions={actions} />
      <Facts
        facts={[
          [t(say`Value`), <Money key="" value={payin.value} />],
          [t(say`Buyer`), <Outside key="" text={payin.buyer_name} />],
          ["CPF", <Outside key="" text={payin.buyer_cpf} />],
          ["E-mail", <Outside key="" text={payin.buyer_email} />],
          [t(say`Created`), <Time key="" at={payin.created_at} withDate />],
          [t(say`Expires`), <Time key="" at={payin.expires_at} withDate />],
          [t(say`Integration`), <Outside key="" text={payin.integration} />],
          [t(say`Webhook URL`), <Outside key="" text={payin.webhook_url} />, "wide"],
        ]}
      />
      <PayerPage id={id} />
      <Timeline payin={payin} />
      <BrCode code={payin.qr_code} />
      <details class="raw">
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
  });
  return [move("pay", t(say`Pay`)), move("expire", t(say`Expire`)), move("cancel", t(say`Cancel`))];
}

/** The payer's page; a phone that can reach the sandbox opens it from the QR code. */
function PayerPage({ id }: { readonly id: string }) {
  const path = `/_sandbox/pay/${id}`;
  const [reachable] = about.value?.urls ?? [];
  const address = `${reachable ?? location.origin}${path}`;
  return (
    <div class="payer-page">
      <a href={path} target="_blank" rel="noreferrer" data-testid="payer-page">
        {t(say`Payer's page`)}
      </a>
      <CopyButton text={address} label={t(say`Copy the address`)} />
      {reachable === undefined ? (
        <small>
          {t(
            say`A phone can open it if the sandbox is started with --host 0.0.0.0 or --public-url.`,
          )}
        </small>
      ) : (
        <details>
          <summary>{t(say`Open it on a phone`)}</summary>
          <QrCode text={address} label={t(say`Address of the payer's page`)} />
          <code>{address}</code>
        </details>
      )}
    </div>
  );
}
