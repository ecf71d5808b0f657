import { historyOf } from "../../../lib/payments.js";

export async function GET(_request, { params }) {
  const { id } = await params;
  const history = historyOf(id);
  return history ? Response.json(history) : new Response(null, { status: 404 });
}
