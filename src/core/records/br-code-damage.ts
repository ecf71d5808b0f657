import { type BrCodeDefect, defectOf, PIX, quote } from "./br-code-fields.ts";
import { joined, listed, type Message, say } from "../../text/message.ts";

const MAX_LENGTH = 512; // of `pixCopiaECola` in the central bank's API
const COPY = say`Copy the whole code again, in quotes: one lost or changed character makes it invalid. If it is whole, its generator writes a wrong CRC.`;
const CORRECT_CRC = say`The code is whole. Correct how its generator calculates the CRC: CRC-16/CCITT-FALSE.`;

/** Whether a text is a BR Code, or a damaged one: it has the beginning of one, or the arrangement's name. */
export function isLikeBrCode(text: string): boolean {
  return text.startsWith("0002") || text.toLowerCase().includes(PIX);
}

/** What was changed since a code was generated, by its CRC; undefined for a code that is as its generator wrote it. */
export function findDamage(text: string): BrCodeDefect | undefined {
  if (text.length > MAX_LENGTH) {
    const wrong = say`A BR Code has up to ${MAX_LENGTH} characters, but this has ${text.length}.`;
    return { field: "code", text: wrong, advice: COPY };
  }
  if (!isLikeBrCode(text)) {
    const wrong = say`This is not a BR Code: a BR Code begins with "000201" and contains "${PIX}".`;
    return { field: "code", text: wrong };
  }
  return hasRightCrc(text) ? undefined : (findForeign(text) ?? findWrongCrc(text));
}

function findWrongCrc(text: string): BrCodeDefect {
  const [head, found] = [text.slice(0, -4), text.slice(-4)];
  if (!/6304[\dA-F]{4}$/i.test(text)) {
    const end = quote(text.slice(-8));
    return defectOf("63", say`(CRC) must end the code as "6304" and 4 digits, not ${end}`, COPY);
  }
  const wrong = say`(CRC) must be "${crcOf(head)}", but is ${quote(found)}`;
  const mistake = MISTAKES.find(([, make]) => make(head) === found)?.[0];
  if (!mistake) return defectOf("63", wrong, COPY);
  return defectOf("63", say`${wrong}: ${mistake}`, CORRECT_CRC);
}

/** The usual mistakes of generators, each with the CRC that it makes. */
const MISTAKES: readonly (readonly [Message, (head: string) => string])[] = [
  [say`its letters must be capitals`, (head) => crcOf(head).toLowerCase()],
  [say`it was calculated without "6304"`, (head) => crcOf(head.slice(0, -4))],
  [say`it was calculated with the start value 0000 instead of FFFF`, (head) => crcOf(head, 0)],
  [
    say`it was calculated over Latin-1 instead of UTF-8; write the names without accents`,
    (head) => toHex(Uint8Array.from(head, (one) => one.charCodeAt(0)).reduce(addByte, 0xffff)),
  ],
];

/** What copying or a chat adds to a code, with what may have stood in its place. */
const FOREIGN: readonly (readonly [RegExp, ...originals: string[]])[] = [
  [/([ \t]*)[\r\n\u0085\u2028\u2029]+([ \t]*)/g, "$1$2", " ", ""],
  [/[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "],
  [/\p{Cc}|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, ""],
];
const AROUND = /^([^]*?)(000201[^]*6304[\dA-F]{4})([^]*)$/;
/** A txid of three asterisks, of which a chat took some for its own marks. */
const ASTERISKS = /62070503(?!\*{3}(?!\*))[\\*]*(?=6304|[89]\d\d\d)/;

/** The foreign characters of a code, with the code without them; undefined if it has none. */
function findForeign(text: string): BrCodeDefect | undefined {
  const found: Message[] = [];
  let texts = [text];
  const withBlanks = text.replaceAll("+", " ");
  if (decoded(text) !== text || hasRightCrc(withBlanks)) {
    const [encoded = "+"] = /%[\dA-F]{2}/i.exec(text) ?? [];
    found.push(say`characters as an address encodes them (${encoded})`);
    texts = [text, withBlanks].map(decoded);
  }
  for (const [pattern, ...originals] of FOREIGN) {
    const [character] = texts[0]?.match(pattern) ?? [];
    if (character === undefined) continue;
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    const isBreak = /[\r\n]/.test(character);
    found.push(isBreak ? say`a line break` : say`the invisible character U+${code}`);
    texts = texts.flatMap((one) => originals.map((original) => one.replace(pattern, original)));
  }
  const [, before = "", , after = ""] = AROUND.exec(texts[0] ?? "") ?? [];
  if (before + after !== "") {
    found.push(say`quotes or other text around it`);
    texts = texts.map((one) => one.replace(AROUND, "$2"));
  }
  const reasons = found.length > 0 ? [say`The code contains ${listed(found)}.`] : [];
  if (texts.some((one) => ASTERISKS.test(one))) {
    reasons.push(say`Field 62-05 (txid) must be "***": a chat may have removed asterisks.`);
    texts = texts.map((one) => one.replace(ASTERISKS, "62070503***"));
  }
  if (reasons.length === 0) return undefined;
  const mended = texts.find(hasRightCrc);
  const advice = mended ? say`With this mended, the CRC is right. The mended code:` : COPY;
  return { field: "code", text: joined(reasons), advice, mended };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hasRightCrc(text: string): boolean {
  return text.slice(-8, -4) === "6304" && text.slice(-4) === crcOf(text.slice(0, -4));
}

/** CRC-16/CCITT-FALSE of a text's UTF-8 bytes, as field 63 has it: that of "123456789" is 29B1. */
export function crcOf(text: string, start?: number): string {
  return toHex(addToCrc(text, start));
}

/** The CRC of a text that follows another one, whose CRC is `start`. */
export function addToCrc(text: string, start = 0xffff): number {
  let crc = start;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return new TextEncoder().encode(text).reduce(addByte, start);
    crc = addByte(crc, code);
  }
  return crc;
}

/** As fast as a table of all bytes, which would take each start and command a millisecond to fill. */
function addByte(before: number, byte: number): number {
  let crc = ((before >>> 8) | ((before & 0xff) << 8)) ^ byte;
  crc ^= (crc & 0xff) >>> 4;
  crc ^= (crc << 12) & 0xffff;
  return crc ^ ((crc & 0xff) << 5);
}

function toHex(crc: number): string {
  return (crc + 0x10000).toString(16).slice(1).toUpperCase();
}
