import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import type { Identification } from "./read-call.ts";

/**
 * Checks the caller's credential.
 * @throws GatewayError NO_ACTIVE_CREDENTIAL if only listed credentials are active and this is not one.
 */
export function authorize(
  { integration, providerId }: Identification,
  { credentials }: Pick<Context, "credentials">,
  trace: AssumptionTrace,
): void {
  if (trace.read("credentials") === "any") return;
  const listed = credentials.get(integration);
  if (listed?.merchantId === providerId) return;
  const field = listed ? "x-provider-id" : "x-api-token";
  throw new GatewayError("NO_ACTIVE_CREDENTIAL", NOT_LISTED, [
    { field, code: "NO_ACTIVE_CREDENTIAL", message: NOT_LISTED },
  ]);
}

const NOT_LISTED = {
  en: "No active credential: x-api-token and x-provider-id must be the api_key and the merchant_id of one that the sandbox was started with.",
  pt: "Nenhuma credencial ativa: x-api-token e x-provider-id devem ser a api_key e o merchant_id de uma com a qual o sandbox foi iniciado.",
};
