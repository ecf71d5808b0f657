import { BUYER } from "../../wire/sample.ts";
import { say } from "../../text/message.ts";
import { payinActions } from "../details/payin.tsx";
import { failure, run } from "../state/actions.ts";
import { create } from "../state/creation.ts";
import { t } from "../state/language.ts";
import { go } from "../state/navigation.ts";
import { deliveries, payins } from "../state/sandbox.ts";

/** Where the shop of the guide says that it is. The simulated shop gets every webhook. */
const WEBHOOK_URL = "https://shop.example/webhooks/pix";

/** Leads through the first payment: what to do next, with a button that does it. */
export function Guide() {
  void payins.version.value;
  void deliveries.version.value;
  const waiting = [...payins].find(({ status }) => status === "waiting");
  const paid = [...payins].find(({ status }) => status === "paid");
  const delivery = [...deliveries].find(({ transaction_id: id }) => id === paid?.id);
  const [pay] = waiting ? payinActions(waiting) : [];
  if (paid && !waiting)
    return (
      <p class="guide" data-testid="guide">
        {delivery?.status === "delivered"
          ? t(
              say`3 of 3. The shop has received the webhook and its signature is valid. Change the shop to see retries, or advance the clock.`,
            )
          : t(
              say`3 of 3. The shop has not accepted the webhook: the gateway repeats it. Advance the clock, or resend it.`,
            )}
      </p>
    );
  return (
    <p class="guide" data-testid="guide">
      {waiting
        ? t(say`2 of 3. The charge waits. Now be the buyer who scans its QR code.`)
        : t(say`1 of 3. Your shop sells something: it creates a charge.`)}{" "}
      <button
        type="button"
        class="main"
        data-testid="guide-next"
        onClick={() => {
          if (waiting && pay) {
            go({ pane: "payins", id: waiting.id });
            void run(pay);
          } else
            void create("payins", { ...BUYER, webhook_url: WEBHOOK_URL }).then(
              (refusal) => (failure.value = refusal),
            );
        }}
      >
        {pay ? t(say`Pay it`) : t(say`Create a charge`)}
      </button>
    </p>
  );
}
