import {
  type BrCode,
  type BrCodeDefect,
  isLikeBrCode,
  readBrCode,
} from "../../core/records/br-code.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import type { Parameter } from "./parameters.ts";
import { withProgress } from "../client/progress.ts";
import type { Run } from "./define-command.ts";
import { localize } from "../terminal/language.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { readBytes } from "../terminal/read-bytes.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";

/** What the command line names: the code in a picture, or text: a code or an id. */
export type CodeSource = { readonly code: string } | { readonly text: string };

/** The maximum size of a picture's file. */
const MAX_BYTES = 10 * 1024 * 1024;
/** The first bytes of a PNG and of a JPEG. */
const PICTURES = [Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"), Buffer.from([0xff, 0xd8])];

/** The argument that {@link readCodeSource} reads. */
export const CODE_SOURCE: Parameter<readonly string[]> = {
  value: "code",
  help: say`a BR Code in quotes, the path of a PNG or JPEG of its QR code, a payin's id, or - for stdin`,
  isVariadic: true,
};

/**
 * Reads the argument of a command that takes a BR Code, a picture or an id. Something with a dot or a slash is a
 * path, `-` is stdin.
 * @param words the argument; several if a code with blanks was pasted without quotes
 * @throws CliError for a file that cannot be read, or has neither a readable picture nor text
 */
export async function readCodeSource(
  words: readonly string[],
  { io, json }: Pick<Run, "io" | "json">,
): Promise<CodeSource> {
  const text = words.join(" ").trim();
  if (text !== "-" && (!/[./\\]/.test(text) || isLikeBrCode(text))) return { text };
  const bytes = await readBytes(text, io, MAX_BYTES);
  const name = text === "-" ? "stdin" : text;
  if (bytes.length > MAX_BYTES) throw tooLarge();
  if (PICTURES.some((first) => bytes.subarray(0, first.length).equals(first))) {
    const progress = { label: say`Looking for a QR code`, isSilent: json, isBlocking: true };
    const read = async () => (await import("./read-picture.ts")).readPicture(bytes);
    return { code: await withProgress(io, progress, read) };
  }
  const content = toText(bytes).trim();
  if (/^<(?:svg|!doctype svg|\?xml)\b/i.test(content)) throw unreadSvg(name);
  const isText = content !== "" && !/[^\P{Cc}\s]|\ufffd/u.test(content); // else bytes of another format
  if (isText || isLikeBrCode(content)) return { text: content };
  throw notAPicture(name);
}

/** UTF-8, or UTF-16 as PowerShell writes it: with a byte order mark, or with a zero in each character of ASCII. */
function toText(bytes: Buffer): string {
  const isBigEndian = (bytes[0] === 0xfe && bytes[1] === 0xff) || bytes[0] === 0;
  const isUtf16 = isBigEndian || (bytes[0] === 0xff && bytes[1] === 0xfe) || bytes[1] === 0;
  return new TextDecoder(isBigEndian ? "utf-16be" : isUtf16 ? "utf-16le" : "utf-8").decode(bytes);
}

/**
 * @param exitCode of a wrong code: that of a command which judges codes, or the usual one of an argument
 * @throws CliError that names the field of the code that is wrong.
 */
export function checkBrCode(text: string, exitCode: number = EXIT.usage): BrCode {
  const code = readBrCode(text);
  if (!code.defect) return code;
  const explained = localize(say`${PROGRAM} decode CODE explains each field.`);
  const hint = code.defect.advice ? `${adviceOf(code.defect)}\n${explained}` : explained;
  const message = say`Invalid BR Code. ${localize(code.defect.text)}`;
  throw new CliError(exitCode, "BR_CODE_NOT_VALID", message, hint);
}

/** What to do about a wrong code, with the mended one. */
export function adviceOf({ advice, mended }: BrCodeDefect): string {
  const text = advice ? localize(advice) : "";
  return mended === undefined ? text : `${text}\n${toSafeLine(mended)}`;
}

function otherForm(): string {
  return localize(say`Save the picture as PNG or JPEG, or pass the code itself in quotes.`);
}

function unreadSvg(name: string): CliError {
  return usageError(say`${name} is an SVG. Only PNG and JPEG pictures can be read.`, otherForm());
}

function notAPicture(name: string): CliError {
  return usageError(
    say`${name} is neither a PNG nor a JPEG, nor the text of a BR Code.`,
    otherForm(),
  );
}

function tooLarge(): CliError {
  return usageError(
    say`The picture is larger than 10 MiB.`,
    say`Crop it to the QR code, or save it smaller.`,
  );
}
