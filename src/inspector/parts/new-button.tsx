import { sendSamplePayment } from "../state/creation.ts";
import { t } from "../state/language.ts";
import { NEW, toFragment } from "../state/place.ts";
import { say } from "../../text/message.ts";

/** Opens the form that creates a payin or a payout. */
export function NewLink({ pane }: { readonly pane: "payins" | "payouts" }) {
  return (
    <a class="button main" href={toFragment({ pane, id: NEW })} data-testid="new">
      {pane === "payins" ? t(say`New payin`) : t(say`New payout`)}
    </a>
  );
}

/** Creates a payin with sample values, and pays it. */
export function SampleButton() {
  return (
    <button type="button" data-testid="sample" onClick={() => void sendSamplePayment()}>
      {t(say`Send a sample payment`)}
    </button>
  );
}
