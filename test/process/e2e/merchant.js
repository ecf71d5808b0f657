/**
 * A merchant's program, as small as one can be: it charges a buyer, pays a receiver twice at once,
 * hears of each by webhook and tells what it learnt, a JSON object a line. It knows of the gateway
 * what its documents say, and where it is and what signs its webhooks from the environment.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const { PIX_SANDBOX_URL: url, PIX_SANDBOX_SECRET: secret } = process.env;
if (!url || !secret)
  throw new Error("PIX_SANDBOX_URL and PIX_SANDBOX_SECRET say where the gateway is.");

const webhook = new Webhook(secret);
const EXPECTED_WEBHOOKS = 3;
let heard = 0;

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const { "webhook-id": webhookId, "content-type": contentType } = request.headers;
  try {
    const event = webhook.verify(body, request.headers);
    tell({ learnt: "webhook", method: request.method, contentType, webhookId, event });
    response.writeHead(204).end();
  } catch (error) {
    tell({ learnt: "forgery", webhookId, reason: error.message });
    response.writeHead(401).end();
    return;
  }
  if (++heard === EXPECTED_WEBHOOKS) server.close();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const webhookUrl = `http://127.0.0.1:${server.address().port}/webhooks/pix`;

const payin = await post("/v1/payins", {
  value: 10.5,
  description: "Order 1234",
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
  webhook_url: webhookUrl,
  generate_qrcode: true,
});
tell({ learnt: "payin", ...payin });
await post("/v1/payins/simulations", { transaction_id: payin.id, status: "completed" });

const payout = {
  value: 99.9,
  receiver_cpf: "52998224725",
  receiver_name: "José de Souza",
  receiver_email: "jose@example.com",
  webhook_url: webhookUrl,
  pix_key: "jose@example.com",
  pix_key_type: "email",
};
const first = await post("/v1/payouts", payout);
tell({ learnt: "payout", ...first });
const rival = await post("/v1/payouts", payout);
tell({ learnt: "rival", ...rival });
await post("/v1/payouts/simulations", { transaction_id: first.id, status: "completed" });

async function post(path, body) {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-token": "a-merchant",
      "x-provider-id": "42",
      "x-provider": "Loja da Maria",
      "x-country-code": "BR",
      "x-idempotency-key": randomUUID(),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

function tell(fact) {
  process.stdout.write(`${JSON.stringify(fact)}\n`);
}
