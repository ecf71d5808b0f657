/** What a created record holds where nothing is said: values that every rule accepts. */
export const SAMPLE = {
  token: "sandbox",
  value: "10.50",
  cpf: "12345678909",
  name: "Maria da Silva",
  email: "maria@example.com",
  webhookUrl: "http://localhost:3000/webhooks/pix",
} as const;

/** A number where it is one; the text as it stands otherwise, for the gateway to refuse with its own words. */
export function readNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}
