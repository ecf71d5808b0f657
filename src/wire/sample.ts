/** Valid default values of records that commands and the test API create. */
export const SAMPLE = {
  token: "sandbox",
  value: "10.50",
  cpf: "12345678909",
  name: "Maria da Silva",
  email: "maria@example.com",
} as const;

/** An amount in the unit that a choice of `value.unit` names. */
export function sampleValue(unit: unknown, reais = Number(SAMPLE.value)): number {
  return unit === "centavos" ? Math.round(reais * 100) : reais;
}

/**
 * The webhook address of records that are created without one: the sandbox's own receiver. The same each time, so that
 * a repeated call is equal to the first one.
 * @param url the sandbox's, without a trailing slash
 */
export function sinkUrl(url: string): string {
  return `${url}/_sandbox/sink/sample`;
}

/** The required members of a payin and of a payout, except the webhook address. */
export const BUYER = {
  value: sampleValue("reais"),
  buyer_cpf: SAMPLE.cpf,
  buyer_name: SAMPLE.name,
  buyer_email: SAMPLE.email,
};
export const RECEIVER = {
  value: sampleValue("reais"),
  receiver_cpf: SAMPLE.cpf,
  receiver_name: SAMPLE.name,
  receiver_email: SAMPLE.email,
  pix_key: SAMPLE.cpf,
  pix_key_type: "cpf",
};
