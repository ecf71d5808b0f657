import {
  type BrCode,
  type BrCodeDefect,
  type ExplainedField,
  isLikeBrCode,
  readBrCode,
} from "../../core/records/br-code.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { adviceOf, CODE_SOURCE, readCodeSource } from "../definition/code-source.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { resolveId } from "../definition/resolve-id.ts";
import { type Message, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

export const decodeCommand = defineOwnCommand("decode", {
  arguments: { source: CODE_SOURCE },
  async run({ source: words }, run) {
    const { io, json } = run;
    const source = await readCodeSource(words, run);
    const found = "code" in source ? source.code : await findCode(source.text, run);
    const code = found ?? ("text" in source ? source.text : "");
    const result = readBrCode(code);
    const { fields, kind, defect } = result;
    if (json) io.printJson(toJson(code, result));
    else {
      if (found !== undefined) io.print(`${toSafeLine(code)}\n`);
      if (fields.length > 0) io.print(renderFields(fields, defect?.field, io));
      if (!defect) io.print(`\n${localize(KINDS[kind])}`);
    }
    if (defect) throw notValid(defect);
  },
  examples: [
    "decode last",
    "decode charge.png",
    "decode '00020101021226…63041D3D'",
    "decode - < code.txt",
  ],
});

/** The code of the payin that an id names; undefined if the text is no id, or no sandbox responds. */
async function findCode(text: string, run: Run): Promise<string | undefined> {
  if (isLikeBrCode(text) || (text !== "last" && !/^[\da-f-]{4,36}…?$/i.test(text)))
    return undefined;
  const { client } = run;
  try {
    const id = await resolveId(client, "payin", text);
    return (await client.call("GET /payins/{id}", { id })).qr_code;
  } catch (error) {
    // A code needs no sandbox, but the newest payin does.
    if (text !== "last" && error instanceof CliError && error.code === "NO_SANDBOX")
      return undefined;
    throw error;
  }
}

function notValid(defect: BrCodeDefect): CliError {
  return new CliError(
    EXIT.checkFailed,
    "BR_CODE_NOT_VALID",
    localize(defect.text),
    adviceOf(defect) ||
      say`Pass a code in quotes, the path of its picture, such as ./charge.png, or the id of a payin of a running sandbox.`,
  );
}

function toJson(code: string, { fields, kind, defect }: BrCode) {
  return {
    valid: !defect,
    code,
    kind: defect ? null : kind,
    wrong: defect ? { field: defect.field, message: english(defect.text) } : null,
    mended: defect?.mended ?? null,
    fields: fields.map(({ id, name, value = null, note }) => ({
      id,
      name: english(name),
      value,
      note: (note && english(note)) ?? null,
    })),
  };
}

/** One line for each field, with `!!` before the wrong one. A long value has a line of its own. */
function renderFields(
  fields: readonly ExplainedField[],
  wrong: string | undefined,
  { color }: Io,
): string {
  const names = fields.map(({ name }) => localize(name));
  const width = Math.max(...names.map(({ length }) => length));
  const lines = fields.map(({ id, value, note, isTemplate }, index) => {
    const mark = id === wrong ? "!! " : "   ";
    const shown = isTemplate ? "" : value === undefined ? "-" : toSafeLine(value);
    const meaning = note ? color.dim(` (${localize(note)})`) : "";
    const head = `${mark}${id.padEnd(5)}  ${(names[index] ?? "").padEnd(width)}`;
    const isLong = head.length + 2 + shown.length > MAX_WIDTH;
    const line = `${isLong ? `${head.trimEnd()}\n   ` : `${head}  `}${shown}${meaning}`.trimEnd();
    return id === wrong ? color.red(line) : line;
  });
  return lines.join("\n");
}

/** The usual width of a terminal; a value has up to 77 characters. */
const MAX_WIDTH = 80;

const KINDS: Readonly<Record<BrCode["kind"], Message>> = {
  dynamic: say`Valid. A dynamic code: the payer's bank reads the charge from the location.`,
  static: say`Valid. A static code: anyone can pay to its Pix key, several times.`,
  recurrence: say`Valid. A recurrence of Pix Automático, without a charge.`,
};
