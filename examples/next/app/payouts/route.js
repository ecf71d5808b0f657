import { createPayout } from "../../lib/gateway.js";
import { addPayment } from "../../lib/payments.js";

export async function POST(request) {
  const { invoice, ...payout } = await request.json();
  const webhook_url = `${process.env.SHOP_URL}/webhooks/pix`;
  const { id } = await createPayout(`invoice-${invoice}`, { ...payout, webhook_url });
  addPayment(id, payout.value);
  return Response.json({ id }, { status: 201 });
}
