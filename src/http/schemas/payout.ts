import * as z from "zod";
import { PAYOUT_STATUSES } from "../../core/records/payout.ts";
import { PIX_KEY_TYPES } from "../../core/records/checks.ts";
import { endToEndId, uuid } from "./ids.ts";
import { cpf, instant, integration, settledAt, value } from "./members.ts";
import { TIME, WEBHOOK_URL } from "./samples.ts";

export const payoutExample = {
  id: "eb9cf8cc-b6a4-44e5-b3e5-215b384b8deb",
  status: "waiting",
  value: 25.75,
  description: "Repasse de vendas",
  receiver_cpf: "52998224725",
  receiver_name: "João Pereira",
  receiver_email: "joao.pereira@example.com",
  webhook_url: WEBHOOK_URL,
  pix_key: "52998224725",
  pix_key_type: "cpf",
  end_to_end_id: null,
  created_at: TIME,
  settled_at: null,
  integration: "shop",
};

/** A payout as webhooks show it: without the secret token. */
export const webhookPayout = z.object({
  id: uuid,
  status: z.enum(PAYOUT_STATUSES),
  value,
  description: z.string().exactOptional(),
  receiver_cpf: cpf,
  receiver_name: z.string(),
  receiver_email: z.string(),
  webhook_url: z.string(),
  pix_key: z.string(),
  pix_key_type: z.enum(PIX_KEY_TYPES),
  end_to_end_id: endToEndId.nullable().meta({
    description: "The payment's id in the Pix system; null if the payout was not made.",
  }),
  created_at: instant,
  settled_at: settledAt,
});

export const payout = webhookPayout.extend({ integration }).meta({
  id: "Payout",
  description: "A payout: the members of its request, and its current status.",
  examples: [payoutExample],
});
