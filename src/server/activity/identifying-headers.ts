/** The headers that identify an integration, and a call by its idempotency key. */
export function identifyingHeaders(
  token: string,
  key: string,
  providerId = "sandbox",
): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-api-token": token,
    "x-provider-id": providerId,
    "x-provider": "pix-sandbox",
    "x-country-code": "BR",
    "x-idempotency-key": key,
  };
}
