import express from "express";
import { createPayin, createPayout } from "./gateway.js";
import { addPayment, addPayout, applyWebhook, historyOf, invoiceOf } from "./payments.js";
import { isGenuine } from "./webhook.js";

export const shop = express();

const webhookUrl = () => `${process.env.SHOP_URL}/webhooks/pix`;

// The order's number is the idempotency key: the same order sent twice creates one charge.
shop.post("/orders", express.json(), async (request, response) => {
  const { number, ...payin } = request.body;
  const { id, qr_code } = await createPayin(`order-${number}`, {
    ...payin,
    webhook_url: webhookUrl(),
  });
  addPayment(id, payin.value);
  response.status(201).json({ id, qr_code });
});

async function sendPayout(invoice) {
  const { id } = await createPayout(`invoice-${invoice.number}-${invoice.attempt}`, invoice.payout);
  addPayout(id, invoice);
  return id;
}

// Sends a canceled payout again once. If that one is canceled too, the next POST /payouts sends another.
function sendAgain(invoice) {
  if (invoice.attempt === 2) setImmediate(() => sendPayout(invoice).catch(console.error));
}

shop.post("/payouts", express.json(), async (request, response) => {
  const { invoice, ...payout } = request.body;
  const id = await sendPayout(invoiceOf(invoice, { ...payout, webhook_url: webhookUrl() }));
  response.status(201).json({ id });
});

shop.get("/payments/:id", (request, response) => {
  const history = historyOf(request.params.id);
  if (history) response.json(history);
  else response.sendStatus(404);
});

// express.raw() leaves the body as it was sent: the signature covers those bytes.
shop.post("/webhooks/pix", express.raw({ type: "*/*" }), (request, response) => {
  const { body = "", headers } = request;
  if (!isGenuine(body, headers, process.env.PIX_SANDBOX_SECRET)) {
    response.sendStatus(400);
    return;
  }
  // A webhook can arrive before createPayin() returns: after a 404 the gateway sends it again.
  // Answer at once; slow work, such as sending e-mail, comes later.
  const isKnown = applyWebhook(headers["webhook-id"], JSON.parse(body), sendAgain);
  response.sendStatus(isKnown ? 200 : 404);
});
