import { BUYER, RECEIVER, sampleValue, sinkUrl } from "../../wire/sample.ts";
import { failure } from "./actions.ts";
import { control } from "./control.ts";
import { callGateway, callingIntegration } from "./gateway.ts";
import { go } from "./navigation.ts";
import { deliveries, isInCentavos, payins, payouts } from "./sandbox.ts";
import type { WirePayin, WirePayout } from "./wire.ts";
import { ORIGIN } from "./origin.ts";

/** The webhook address that the integration used last; without one, the sandbox's own receiver. */
export function usualWebhookUrl(): string {
  const [payin] = payins;
  const [payout] = payouts;
  const [delivery] = deliveries;
  return (payin ?? payout)?.webhook_url ?? delivery?.url ?? sinkUrl(ORIGIN);
}

/** The body of a payin with sample values, its amount in reais. */
export const samplePayin = () => ({ ...BUYER, webhook_url: usualWebhookUrl() });
/** The same of a payout. */
export const samplePayout = () => ({ ...RECEIVER, webhook_url: usualWebhookUrl() });

/** Creates a payin or payout and opens it. @returns why it was refused; undefined if it was not */
export async function create(
  pane: "payins" | "payouts",
  body: object,
  { isPaid = false } = {},
): Promise<string | undefined> {
  try {
    const integration = callingIntegration();
    const { id } = await callGateway<WirePayin | WirePayout>(`/v1/${pane}`, body, integration);
    if (isPaid) await control("POST", `/payins/${id}/pay`, { integration });
    go({ pane, id });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Creates a payin with sample values, and pays it. */
export async function sendSamplePayment(): Promise<void> {
  const value = sampleValue(isInCentavos.value ? "centavos" : "reais");
  failure.value = await create("payins", { ...samplePayin(), value }, { isPaid: true });
}
