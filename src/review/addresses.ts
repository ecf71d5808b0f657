import type { Payin, Payout } from "../core/records/transaction.ts";
import { toEpochMs } from "../wire/timestamp.ts";
import type { Watch } from "./observation.ts";
import { isSinkUrl } from "../wire/names.ts";
import type { Tally } from "./tally.ts";
import { type Message, say } from "../text/message.ts";

/** Judges whether webhook addresses contain personal data, and descriptions a CPF. */
export function addresses(tally: Tally): Watch {
  // Most records have the address of the one before.
  let address = readAddress("");
  return {
    creation: ({ noun }, created) => {
      if (!created) return;
      const { record } = created;
      const { id, integration, webhook_url: url, created_at } = record;
      if (address.url !== url) address = readAddress(url);
      if (address.isSink) return;
      const person = personOf(record);
      const isDescribed = hasCpf(record.description ?? "", person.cpf);
      const found = isDescribed ? A_CPF : personalDataIn(address, person);
      if (!found) return tally.kept(integration, "personal_data_in_address");
      const member = isDescribed ? "description" : "webhook_url";
      tally.broken(integration, "personal_data_in_address", id, () => ({
        atMs: toEpochMs(created_at),
        text: say`The ${member} of ${noun} ${id} contains ${found}.`,
        transactionId: id,
        command: `pix-sandbox ${noun} show ${id}`,
      }));
    },
  };
}

const A_CPF = say`the person's CPF`;
const AN_EMAIL = say`the person's e-mail address`;
const A_NAME = say`the person's name`;

/** Who pays or is paid. */
function personOf(record: Payin | Payout) {
  return "buyer_cpf" in record
    ? { cpf: record.buyer_cpf, email: record.buyer_email, name: record.buyer_name }
    : { cpf: record.receiver_cpf, email: record.receiver_email, name: record.receiver_name };
}

interface Address {
  readonly url: string;
  readonly isSink: boolean;
  /** What the path and the query say, also in base64, in lower case. Credentials and the host are the shop's own. */
  readonly text: string;
  /** Only its letters and digits, without accents. */
  readonly letters: string;
}

function readAddress(url: string): Address {
  const [, rest = ""] = /^[^/]*\/\/[^/?#]*(.*)$/s.exec(url) ?? [];
  const plain = decoded(rest);
  const encoded = plain.match(BASE64) ?? [];
  const text = [plain, ...encoded.map((run) => Buffer.from(run, "base64").toString())]
    .join("\n")
    .toLowerCase();
  return { url, isSink: isSinkUrl(url), text, letters: lettersOf(text) };
}

/** Long enough for a CPF. */
const BASE64 = /[\w+-]{14,}={0,2}/g;

/** The data of the person. Other runs of 11 digits can be anything, such as an order's number. */
function personalDataIn(
  { text, letters }: Address,
  { cpf, email, name }: ReturnType<typeof personOf>,
): Message | undefined {
  if (hasCpf(text, cpf)) return A_CPF;
  if (email !== "" && text.includes(email.toLowerCase())) return AN_EMAIL;
  // A single word, such as "Rosa", can be a shop's; and of a name in another script too few letters are left.
  if (!name.trim().includes(" ")) return undefined;
  const wanted = lettersOf(name);
  return wanted.length >= MIN_LETTERS && letters.includes(wanted) ? A_NAME : undefined;
}

/** Shorter ones occur in addresses by chance. */
const MIN_LETTERS = 5;

function hasCpf(text: string, cpf: string): boolean {
  if (hasNumber(text, cpf)) return true;
  // Most texts have none: writing the number in its other form would cost more than all else here.
  if (!PUNCTUATED.test(text)) return false;
  return hasNumber(text, cpf.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4"));
}

/** How people write it, such as 529.982.247-25. */
const PUNCTUATED = /\d\.\d{3}\./;

function hasNumber(text: string, digits: string): boolean {
  for (let at = text.indexOf(digits); at >= 0; at = text.indexOf(digits, at + 1))
    if (!isDigit(text[at - 1]) && !isDigit(text[at + digits.length])) return true;
  return false;
}

function lettersOf(text: string): string {
  return text
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z\d]/g, "");
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
