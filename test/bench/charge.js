/** The request that every measurement sends: a charge, with the headers of the gateway. */

export const HOST = "127.0.0.1";

/** Nothing listens on the discard port. No webhook is sent to it unless a payin is paid. */
const WEBHOOK_URL = `http://${HOST}:9/webhooks/pix`;

/** All headers but the idempotency key. */
export const HEADERS = {
  "content-type": "application/json",
  "x-api-token": "bench",
  "x-provider-id": "4182",
  "x-provider": "Loja Exemplo",
  "x-country-code": "BR",
};

/**
 * The body of `POST /v1/payins`.
 * @param {{ webhookUrl?: string, qr?: boolean, expiration?: number }} [options] `expiration` in seconds
 */
export function chargeBody({ webhookUrl = WEBHOOK_URL, qr = false, expiration = 86_400 } = {}) {
  return JSON.stringify({
    value: 129.9,
    description: "Pedido 48213, duas camisetas",
    buyer_cpf: "52998224725",
    buyer_name: "Maria Aparecida da Silva",
    buyer_email: "maria.silva@example.com",
    webhook_url: webhookUrl,
    generate_qrcode: qr,
    expiration,
  });
}
