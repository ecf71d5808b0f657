/** Valid default values of records that commands, scenarios and the test API create. */
export const SAMPLE = {
  token: "sandbox",
  value: "10.50",
  cpf: "12345678909",
  name: "Maria da Silva",
  email: "maria@example.com",
  webhookUrl: "http://localhost:3000/webhooks/pix",
} as const;

/** The required members of a payin and of a payout, except the webhook address. */
export const BUYER = {
  value: Number(SAMPLE.value),
  buyer_cpf: SAMPLE.cpf,
  buyer_name: SAMPLE.name,
  buyer_email: SAMPLE.email,
};
export const RECEIVER = {
  value: Number(SAMPLE.value),
  receiver_cpf: SAMPLE.cpf,
  receiver_name: SAMPLE.name,
  receiver_email: SAMPLE.email,
  pix_key: SAMPLE.cpf,
  pix_key_type: "cpf",
};
