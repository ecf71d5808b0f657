import { invoiceOf } from "../../lib/payments.js";
import { sendPayout } from "../../lib/payouts.js";

export async function POST(request) {
  const { invoice, ...payout } = await request.json();
  const webhook_url = `${process.env.SHOP_URL}/webhooks/pix`;
  const id = await sendPayout(invoiceOf(invoice, { ...payout, webhook_url }));
  return Response.json({ id }, { status: 201 });
}
