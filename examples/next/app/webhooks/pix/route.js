import { applyWebhook } from "../../../lib/payments.js";
import { isGenuine } from "../../../lib/webhook.js";

export async function POST(request) {
  // The signature covers these bytes. request.json() would lose them.
  const body = Buffer.from(await request.arrayBuffer());
  const headers = Object.fromEntries(request.headers);
  if (!isGenuine(body, headers, process.env.PIX_SANDBOX_SECRET))
    return new Response(null, { status: 400 });
  // A webhook can arrive before createPayin() returns: after a 404 the gateway sends it again.
  // Answer at once; slow work, such as sending e-mail, comes later, with after() of "next/server".
  const isKnown = applyWebhook(headers["webhook-id"], JSON.parse(body));
  return new Response(null, { status: isKnown ? 200 : 404 });
}
