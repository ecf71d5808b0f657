import * as z from "zod";
import { uuid } from "./ids.ts";
import { PAYIN_ID, WEBHOOK_URL } from "./samples.ts";

export const created = {
  id: uuid,
  pix_id: z.string().regex(/^[0-9a-f]{32}$/),
  acquirer_id: uuid,
};

export const createdPayinExample = {
  id: PAYIN_ID,
  pix_id: "19d7aac17aea9a148b8dd0139012fbef",
  acquirer_id: "833c83f5-bc44-4881-beba-24f19c7e32da",
  qr_code:
    "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/19d7aac17aea9a148b8dd0139012fbef5204000053039865802BR5913Loja da Maria6009SAO PAULO62070503***63048DD4",
};

export const payinRequestExample = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria.silva@example.com",
  webhook_url: WEBHOOK_URL,
};
