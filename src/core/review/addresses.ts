import type { Payin } from "../payments/payin.ts";
import type { Payout } from "../payments/payout.ts";
import type { SeenRecord, Watch } from "./observation.ts";
import { isSinkUrl } from "./sink-url.ts";
import type { Tally } from "./tally.ts";

/** Judges whether webhook addresses contain personal data. */
export function addresses(tally: Tally): Watch {
  return {
    record: ({ noun, record }) => {
      const { id, integration, webhookUrl } = record;
      if (isSinkUrl(webhookUrl)) return;
      const found = personalDataIn(webhookUrl, { noun, record });
      if (!found) return tally.kept(integration, "personal_data_in_address");
      tally.broken(integration, "personal_data_in_address", id, {
        atMs: record.createdAtMs,
        text: {
          en: `The webhook_url of ${noun} ${id} contains ${found.en}.`,
          pt: `A webhook_url do ${noun} ${id} contém ${found.pt}.`,
        },
        transactionId: id,
        command: `pix-sandbox ${noun} show ${id}`,
      });
    },
  };
}

const A_CPF = { en: "a CPF", pt: "um CPF" };
const AN_EMAIL = { en: "an e-mail address", pt: "um e-mail" };

/** Other runs of 11 digits can be anything, such as an order's number. */
function personalDataIn(url: string, { record }: Pick<SeenRecord, "noun" | "record">) {
  const text = decoded(url);
  // Credentials before the host are not an e-mail address.
  const [, afterHost = ""] = /^[^/]*\/\/[^/?#]*(.*)$/s.exec(text) ?? [];
  const { cpf, email } = personOf(record);
  if (afterHost.includes(cpf) || /\b\d{3}\.\d{3}\.\d{3}-\d{2}\b/.test(afterHost)) return A_CPF;
  const isEmail = afterHost.toLowerCase().includes(email.toLowerCase());
  return isEmail || /[\w.+-]+@[\w-]+\.\w/.test(afterHost) ? AN_EMAIL : undefined;
}

function personOf(record: Payin | Payout) {
  return "buyerCpf" in record
    ? { cpf: record.buyerCpf, email: record.buyerEmail }
    : { cpf: record.receiverCpf, email: record.receiverEmail };
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
