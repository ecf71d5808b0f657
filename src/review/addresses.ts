import type { Payin } from "../core/records/payin.ts";
import type { Payout } from "../core/records/payout.ts";
import type { Evidence } from "./finding.ts";
import type { Noun, Watch } from "./observation.ts";
import { isSinkUrl } from "../wire/sink-path.ts";
import type { Tally } from "./tally.ts";
import { say } from "../text/message.ts";

/** Judges whether webhook addresses contain personal data. */
export function addresses(tally: Tally): Watch {
  // Most records have the address of the one before.
  let address = readAddress("");
  return {
    record: ({ noun, record }) => {
      const { id, integration, webhookUrl, createdAtMs } = record;
      if (address.url !== webhookUrl) address = readAddress(webhookUrl);
      if (address.isSink) return;
      const found = address.found ?? personalDataIn(address, record);
      if (!found) return tally.kept(integration, "personal_data_in_address");
      tally.broken(
        integration,
        "personal_data_in_address",
        id,
        evidenceOf(noun, id, found, createdAtMs),
      );
    },
  };
}

const A_CPF = say`a CPF`;
const AN_EMAIL = say`an e-mail address`;
type PersonalData = typeof A_CPF;

interface Address {
  readonly url: string;
  readonly isSink: boolean;
  readonly text: string;
  /** In lower case. Credentials before the host are not an e-mail address. */
  readonly afterHost: string;
  /** Personal data that its form shows, without the record. */
  readonly found: PersonalData | undefined;
}

function readAddress(url: string): Address {
  const text = decoded(url);
  const [, rest = ""] = /^[^/]*\/\/[^/?#]*(.*)$/s.exec(text) ?? [];
  const afterHost = rest.toLowerCase();
  return { url, isSink: isSinkUrl(url), text, afterHost, found: patternIn(text, afterHost) };
}

function patternIn(text: string, afterHost: string): PersonalData | undefined {
  if (/(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/.test(text)) return A_CPF;
  // With the letters of a top-level domain: a version, such as in `/api@1.2`, is not one.
  return afterHost.includes("@") && /[\w.+-]@[\w-]+(\.[\w-]+)*\.[a-z]{2,}/.test(afterHost)
    ? AN_EMAIL
    : undefined;
}

/** The person's own data. Other runs of 11 digits can be anything, such as an order's number. */
function personalDataIn(
  { text, afterHost }: Address,
  record: Payin | Payout,
): PersonalData | undefined {
  const isPayin = "buyerCpf" in record;
  const cpf = isPayin ? record.buyerCpf : record.receiverCpf;
  const at = text.indexOf(cpf);
  if (at >= 0 && !isDigit(text[at - 1]) && !isDigit(text[at + cpf.length])) return A_CPF;
  if (!afterHost.includes("@")) return undefined;
  const email = isPayin ? record.buyerEmail : record.receiverEmail;
  return afterHost.includes(email.toLowerCase()) ? AN_EMAIL : undefined;
}

function isDigit(character = ""): boolean {
  return character >= "0" && character <= "9";
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

function evidenceOf(noun: Noun, id: string, found: PersonalData, atMs: number): () => Evidence {
  return () => ({
    atMs,
    text: say`The webhook_url of ${noun} ${id} contains ${found}.`,
    transactionId: id,
    command: `pix-sandbox ${noun} show ${id}`,
  });
}
