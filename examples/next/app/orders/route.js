import { createPayin } from "../../lib/gateway.js";
import { addPayment } from "../../lib/payments.js";

// The order's number is the idempotency key: the same order sent twice creates one charge.
export async function POST(request) {
  const { number, ...payin } = await request.json();
  const webhook_url = `${process.env.SHOP_URL}/webhooks/pix`;
  const { id, qr_code } = await createPayin(`order-${number}`, { ...payin, webhook_url });
  addPayment(id, payin.value);
  return Response.json({ id, qr_code }, { status: 201 });
}
