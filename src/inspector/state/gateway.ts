import { OWN_CLIENT_HEADER } from "../../wire/names.ts";
import { SAMPLE } from "../../wire/sample.ts";
import { ControlError, errorOf, scope, toHeaderText } from "./control.ts";
import { t } from "./language.ts";
import { integrations, requests } from "./sandbox.ts";
import { CANNOT_CHANGE, trace } from "./trace.ts";
import { say } from "../../text/message.ts";

/** The integration that the page's own gateway calls belong to. */
export function callingIntegration(): string {
  return scope.value ?? integrations.value[0] ?? SAMPLE.token;
}

/**
 * The headers of a gateway call: the page acts as the integration, whose own program last named its provider. The
 * reviewer does not judge the page's calls.
 */
export function gatewayHeaders(
  integration: string,
  key: string = newKey(),
): Readonly<Record<string, string>> {
  const own = [...requests].find((one) => one.integration === integration && one.status < 400);
  return {
    "content-type": "application/json",
    "x-api-token": toHeaderText(integration),
    "x-provider-id": toHeaderText(own?.headers["x-provider-id"] ?? "sandbox"),
    "x-provider": toHeaderText(own?.headers["x-provider"] ?? "pix-sandbox"),
    "x-country-code": "BR",
    "x-idempotency-key": key,
    [OWN_CLIENT_HEADER]: "inspector",
  };
}

/** `crypto.randomUUID` needs HTTPS or this machine; a phone in the network has neither. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/**
 * Calls a gateway route, such as `/v1/payins`.
 * @throws ControlError
 */
export async function callGateway<Value>(
  path: string,
  body: unknown,
  integration: string = callingIntegration(),
): Promise<Value> {
  if (trace) throw new ControlError(422, t(CANNOT_CHANGE));
  const response = await fetch(path, {
    method: "POST",
    headers: gatewayHeaders(integration),
    body: JSON.stringify(body),
  }).catch(() => {
    throw new ControlError(0, t(NO_RESPONSE));
  });
  const value: unknown = await response.json().catch(() => null);
  if (!response.ok) throw errorOf(response.status, value);
  return value as Value;
}

const NO_RESPONSE = say`The gateway closed the connection without a response. Is a simulated fault active?`;
