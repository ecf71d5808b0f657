import { useRecordKeys } from "../keys.ts";
import { Actions } from "../parts/action.tsx";
import { DetailHead, Facts, NotFound } from "../parts/detail.tsx";
import { Money, Outside, Time } from "../parts/text.tsx";
import { type Action, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { useRecord } from "../state/record.ts";
import { payins } from "../state/sandbox.ts";
import type { WirePayin } from "../state/wire.ts";

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
          [t({ en: "Value", pt: "Valor" }), <Money key="value" value={payin.value} />],
          [t({ en: "Buyer", pt: "Comprador" }), <Outside key="buyer" text={payin.buyer_name} />],
          [
            t({ en: "Created", pt: "Criado" }),
            <Time key="created" at={payin.created_at} withDate />,
          ],
          [
            t({ en: "Expires", pt: "Expira" }),
            <Time key="expires" at={payin.expires_at} withDate />,
          ],
        ]}
      />
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
  return [
    move("pay", t({ en: "Pay", pt: "Pagar" })),
    move("expire", t({ en: "Expire", pt: "Expirar" })),
    move("cancel", t({ en: "Cancel", pt: "Cancelar" })),
  ];
}
