import fastify from "fastify";
import { createPayin, createPayout } from "./gateway.js";
import { addPayment, addPayout, applyWebhook, historyOf, invoiceOf } from "./payments.js";
import { isGenuine } from "./webhook.js";

export const shop = fastify();

const webhookUrl = () => `${process.env.SHOP_URL}/webhooks/pix`;

// The order's number is the idempotency key: the same order sent twice creates one charge.
shop.post("/orders", async (request, reply) => {
  const { number, ...payin } = request.body;
  const { id, qr_code } = await createPayin(`order-${number}`, {
    ...payin,
    webhook_url: webhookUrl(),
  });
  addPayment(id, payin.value);
  return reply.code(201).send({ id, qr_code });
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

shop.post("/payouts", async (request, reply) => {
  const { invoice, ...payout } = request.body;
  const id = await sendPayout(invoiceOf(invoice, { ...payout, webhook_url: webhookUrl() }));
  return reply.code(201).send({ id });
});

shop.get("/payments/:id", (request, reply) => {
  const history = historyOf(request.params.id);
  return history ? reply.send(history) : reply.code(404).send();
});

shop.register(async (webhooks) => {
  // In this plugin the body stays as it was sent: the signature covers those bytes.
  webhooks.removeAllContentTypeParsers();
  webhooks.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    done(null, body);
  });

  webhooks.post("/webhooks/pix", (request, reply) => {
    const { body, headers } = request;
    if (!body || !isGenuine(body, headers, process.env.PIX_SANDBOX_SECRET))
      return reply.code(400).send();
    // A webhook can arrive before createPayin() returns: after a 404 the gateway sends it again.
    // Answer at once; slow work, such as sending e-mail, comes later.
    const isKnown = applyWebhook(headers["webhook-id"], JSON.parse(body), sendAgain);
    return reply.code(isKnown ? 200 : 404).send();
  });
});
