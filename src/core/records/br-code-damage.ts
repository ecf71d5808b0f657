import { BrCodeError, isLikeBrCode, MAX_LENGTH, PIX, quote, refuse } from "./br-code-fields.ts";
import { crc16, crc16OfLatin1, crcToHex } from "./crc16.ts";
import { joined, listed, type Message, say } from "../../text/message.ts";

const COPY = say`Copy the whole code again, in quotes: one lost or changed character makes it invalid. If it is whole, its generator writes a wrong CRC.`;
const CORRECT_CRC = say`The code is whole. Correct how its generator calculates the CRC: CRC-16/CCITT-FALSE.`;

/**
 * Checks that a text is a BR Code and arrived as it was generated.
 * @throws BrCodeError that says what was changed, and with which code the CRC is right if it can be told
 */
export function assertCrc(text: string): void {
  if (text.length > MAX_LENGTH) {
    const wrong = say`A BR Code has up to ${MAX_LENGTH} characters, but this has ${text.length}.`;
    throw new BrCodeError("code", wrong, { advice: COPY });
  }
  if (!isLikeBrCode(text)) {
    throw new BrCodeError(
      "code",
      say`This is not a BR Code: a BR Code begins with "000201" and contains "${PIX}".`,
    );
  }
  if (hasRightCrc(text)) return;
  const damage = findDamage(text);
  if (damage) throw damage;
  const [, before = "", length, found = ""] = CRC_FIELD.exec(text) ?? [];
  if (length !== "04" && Number(length) !== found.length) {
    const end = quote(text.slice(-8));
    refuse("63", say`(CRC) must end the code as "6304" and 4 digits, not ${end}`, COPY);
  }
  const head = `${before}6304`;
  const right = crcToHex(crc16(head));
  const mistake = mistakeOf(head, found);
  const wrong = say`(CRC) must be "${right}", but is ${quote(found)}`;
  if (mistake) refuse("63", say`${wrong}: ${mistake}`, CORRECT_CRC);
  refuse("63", wrong, COPY);
}

/** Some generators drop leading zeros. */
const CRC_FIELD = /^([^]*)63(0[1-4])([\dA-F]{1,4})$/i;

function hasRightCrc(text: string): boolean {
  return text.slice(-8, -4) === "6304" && text.slice(-4) === crcToHex(crc16(text.slice(0, -4)));
}

/** The usual mistake of a generator that makes this CRC. */
function mistakeOf(head: string, found: string): Message | undefined {
  const is = (crc: number): boolean => crcToHex(crc) === found;
  const right = crcToHex(crc16(head));
  if (found.toUpperCase() === right) return say`its letters must be capitals`;
  if (found.toUpperCase().padStart(4, "0") === right) return say`its leading zero is missing`;
  if (is(crc16(head.slice(0, -4)))) return say`it was calculated without "6304"`;
  if (is(crc16(head, 0))) return say`it was calculated with the start value 0000 instead of FFFF`;
  if (!/[^\0-\u00ff]/.test(head) && is(crc16OfLatin1(head)))
    return say`it was calculated over Latin-1 instead of UTF-8; write the names without accents`;
  return undefined;
}

/** What copying, a chat or an address adds to a code, with what may have stood in its place. */
const FOREIGN: readonly (readonly [
  found: RegExp,
  originals: readonly string[],
  name: (found: string) => Message,
])[] = [
  [/([ \t]*)[\r\n\u0085\u2028\u2029]+([ \t]*)/g, ["$1$2", " ", ""], () => say`a line break`],
  [/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, [""], nameOfCharacter],
  [/[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, [" "], nameOfCharacter],
  [/\p{Cc}/gu, [""], nameOfCharacter],
];
const CHARACTERS = new Map([
  ["\u200b", say`a zero-width space`],
  ["\u00a0", say`a no-break space`],
  ["\t", say`a tab`],
]);
const AROUND = /^([^]*?)(000201[^]*6304[\dA-F]{4})([^]*)$/;
/** A txid of three asterisks, of which a chat took some for its own marks. */
const ASTERISKS = /62070503(?!\*{3}(?!\*))[\\*]*(?=6304|[89]\d\d\d)/;

/** The error of a code with foreign characters; undefined if it has none. */
function findDamage(text: string): BrCodeError | undefined {
  const found: Message[] = [];
  let texts = [text];
  const withBlanks = text.replaceAll("+", " ");
  const [encoded = "+"] = /%[\dA-F]{2}/i.exec(text) ?? [];
  if (decoded(text) !== text || hasRightCrc(withBlanks)) {
    found.push(say`characters as an address encodes them (${encoded})`);
    texts = [text, withBlanks].map(decoded);
  }
  for (const [pattern, originals, name] of FOREIGN) {
    const [character] = texts[0]?.match(pattern) ?? [];
    if (character === undefined) continue;
    found.push(name(character));
    texts = texts.flatMap((one) => originals.map((original) => one.replace(pattern, original)));
  }
  const [, before = "", , after = ""] = AROUND.exec(texts[0] ?? "") ?? [];
  if (before + after !== "") {
    const isQuoted = /^["'`´\u2018-\u201f«»\s]+$/.test(before + after);
    found.push(isQuoted ? say`quotes around it` : say`other text around it`);
    texts = texts.map((one) => one.replace(AROUND, "$2"));
  }
  const reasons: Message[] = [];
  if (found.length > 0) reasons.push(say`The code contains ${listed(found)}.`);
  if (texts.some((one) => ASTERISKS.test(one))) {
    reasons.push(say`Field 62-05 (txid) must be "***": a chat may have removed asterisks.`);
    texts = texts.map((one) => one.replace(ASTERISKS, "62070503***"));
  }
  if (reasons.length === 0) return undefined;
  const mended = texts.find(hasRightCrc);
  const advice =
    mended === undefined ? COPY : say`With this mended, the CRC is right. The mended code:`;
  return new BrCodeError("code", joined(reasons), { advice, mended });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function nameOfCharacter(character: string): Message {
  const point = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return say`${CHARACTERS.get(character) ?? say`an invisible character`} (${point})`;
}
