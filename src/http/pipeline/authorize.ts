import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError } from "../../core/records/errors.ts";
import type { Context } from "../context/context.ts";
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
  en: "No active credential: send the api_key as x-api-token and its merchant_id as x-provider-id, from the sandbox's credentials.",
  pt: "Nenhuma credencial ativa: envie a api_key em x-api-token e o merchant_id dela em x-provider-id, de uma das credenciais do sandbox.",
};
