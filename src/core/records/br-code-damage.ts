import { crcOf, crcOfLatin1, PIX } from "./br-code-writer.ts";
import { listed, type Message, plural, say } from "../../text/message.ts";

/** Why a text is not a BR Code. */
export interface BrCodeDefect {
  /** The invalid field, such as "63" or "26-25", or "code" for the whole. */
  readonly field: string;
  readonly text: Message;
  /** What to do. Absent if the text has nothing of a code. */
  readonly advice?: Message;
  /** The code whose CRC is right, if only foreign characters made it wrong. */
  readonly mended?: string | undefined;
}

const MAX_LENGTH = 512; // of `pixCopiaECola` in the central bank's API
const COPY = say`Copy the whole code again, in quotes: one lost or changed character makes it invalid. If it is whole, its generator writes a wrong CRC.`;
const CORRECT_CRC = say`The code is whole. Correct how its generator calculates the CRC: CRC-16/CCITT-FALSE.`;
const RIGHT_CRC = say`The CRC is right: the code is as its generator wrote it. Correct it there.`;

/** The defect of one field, by default of a code whose CRC is right. */
export function defectOf(field: string, reason: Message, advice = RIGHT_CRC): BrCodeDefect {
  return { field, text: say`Field ${field} ${reason}.`, advice };
}

/** A number of characters, for a message. */
export function countOfCharacters(count: number): Message {
  return plural(count, say`1 character`, say`${count} characters`);
}

/** A value with its length, for a message. */
export function quote(value: string): Message {
  return say`${JSON.stringify(value)} (${countOfCharacters(Array.from(value).length)})`;
}

/** Whether a text is a BR Code, or a damaged one: it has the beginning of one, or the arrangement's name. */
export function isLikeBrCode(text: string): boolean {
  return text.startsWith("0002") || text.toLowerCase().includes(PIX);
}

/** What was changed since a code was generated, by its CRC; undefined for a code that is as its generator wrote it. */
export function findDamage(text: string): BrCodeDefect | undefined {
  if (!isLikeBrCode(text) || text.length > MAX_LENGTH) {
    const wrong = say`This is not a BR Code: a BR Code begins with "000201", contains "${PIX}" and has up to ${MAX_LENGTH} characters.`;
    return { field: "code", text: wrong };
  }
  return hasRightCrc(text) ? undefined : (findForeign(text) ?? explainCrc(text));
}

function explainCrc(text: string): BrCodeDefect {
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
  [
    say`it was calculated over Latin-1 instead of UTF-8; write the names without accents`,
    crcOfLatin1,
  ],
];

/** What copying or a chat does to a code, its name, and what may have stood in its place. */
const FOREIGN: readonly (readonly [RegExp, (found: string) => Message, ...originals: string[]])[] =
  [
    [/[\r\n\u0085\u2028\u2029]+/g, () => say`a line break`, "", " "],
    [/[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, invisible, " "],
    [/\p{Cc}|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, invisible, ""],
    [
      /^(?!000201[^]*6304[\dA-F]{4}$)[^]*?(000201[^]*6304[\dA-F]{4})[^]*$/,
      () => say`quotes or other text around it`,
      "$1",
    ],
    [
      /62070503(?!\*{3}(?!\*))[\\*]*(?=6304|[89]\d\d\d)/,
      () => say`a txid (62-05) whose three asterisks a chat may have changed`,
      "62070503***",
    ],
  ];

function invisible(character: string): Message {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return say`the invisible character U+${code}`;
}

/** The foreign characters of a code, with the code without them; undefined if it has none. */
function findForeign(text: string): BrCodeDefect | undefined {
  const found: Message[] = [];
  let texts = [text];
  for (const [pattern, name, ...originals] of FOREIGN) {
    const [character] = texts[0]?.match(pattern) ?? [];
    if (character === undefined) continue;
    found.push(name(character));
    texts = texts.flatMap((one) => originals.map((original) => one.replace(pattern, original)));
  }
  if (found.length === 0) return undefined;
  const mended = texts.find(hasRightCrc);
  const advice = mended ? say`With this mended, the CRC is right. The mended code:` : COPY;
  return { field: "code", text: say`The code contains ${listed(found)}.`, advice, mended };
}

function hasRightCrc(text: string): boolean {
  return text.slice(-8, -4) === "6304" && text.slice(-4) === crcOf(text.slice(0, -4));
}
