import { after } from "next/server";
import { applyWebhook } from "../../../lib/payments.js";
import { sendPayout } from "../../../lib/payouts.js";
import { isGenuine } from "../../../lib/webhook.js";

// Sends a canceled payout again once. If that one is canceled too, the next POST /payouts sends another.
function sendAgain(invoice) {
  if (invoice.attempt === 2) after(() => sendPayout(invoice));
}

export async function POST(request) {
  // The signature covers these bytes. request.json() would lose them.
  const body = Buffer.from(await request.arrayBuffer());
  const headers = Object.fromEntries(request.headers);
  if (!isGenuine(body, headers, process.env.PIX_SANDBOX_SECRET))
    return new Response(null, { status: 400 });
  // A webhook can arrive before createPayin() returns: after a 404 the gateway sends it again.
  // Answer at once; slow work, such as sending e-mail, comes later, with after().
  const isKnown = applyWebhook(headers["webhook-id"], JSON.parse(body), sendAgain);
  return new Response(null, { status: isKnown ? 200 : 404 });
}
