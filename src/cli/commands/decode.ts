import type { Command } from "commander";
import { LocalizedError } from "../../core/errors.ts";
import type { LocalizedText } from "../../core/localized-text.ts";
import { BrCodeError, type BrCode } from "../../core/payments/br-code.ts";
import { type ExplainedField, explainBrCode } from "../../core/payments/br-code-explanation.ts";
import { toSafeLine } from "../../core/safe-text.ts";
import { readCodeSource } from "../code-source.ts";
import { CliCommand } from "../command.ts";
import { CliError, EXIT } from "../errors.ts";
import type { Io } from "../io.ts";
import { localize, textOf } from "../language.ts";
import { jsonOption, withExamples } from "../options.ts";
import { arg } from "../placeholders.ts";

export function decodeCommand(io: Io): Command {
  const command = new CliCommand("decode")
    .addOption(jsonOption())
    .argument(
      arg("BR code or image..."),
      localize({
        en: "a BR Code in quotes, the path of a PNG or JPEG of its QR code, or - for stdin",
        pt: "um BR Code entre aspas, o caminho de um PNG ou JPEG do QR Code, ou - para stdin",
      }),
    )
    .action(async (words: readonly string[], { json }: { json?: boolean }) => {
      const source = await readCodeSource(words, io);
      const isPicture = "picture" in source;
      const code = isPicture ? await readPicture(source.picture) : source.text;
      const { fields, result } = explainBrCode(code);
      const wrong = result instanceof BrCodeError ? result : undefined;
      if (json) io.printJson(toJson(code, fields, result));
      else {
        if (isPicture) io.print(`${toSafeLine(code)}\n`);
        if (fields.length > 0) io.print(renderFields(fields, wrong?.field, io));
        if (!(result instanceof BrCodeError)) io.print(`\n${localize(KINDS[result.kind])}`);
      }
      if (wrong) throw notValid(wrong);
    });
  return withExamples(command, [
    "decode charge.png",
    "decode '00020101021226…63041D3D'",
    "payin show last --json | jq -r .qr_code | pix-sandbox decode -",
  ]);
}

async function readPicture(bytes: Uint8Array): Promise<string> {
  const { readPicture: read } = await import("../../sandbox/tools.ts");
  try {
    return await read(bytes);
  } catch (error) {
    if (!(error instanceof LocalizedError)) throw error;
    throw new CliError(EXIT.checkFailed, "PICTURE_NOT_READ", textOf(error));
  }
}

function notValid(error: BrCodeError): CliError {
  return new CliError(
    EXIT.checkFailed,
    "BR_CODE_NOT_VALID",
    textOf(error),
    localize({
      en: "Copy the whole code again, in quotes: one lost or changed character makes it invalid.",
      pt: "Copie o código inteiro de novo, entre aspas: um caractere perdido ou trocado o invalida.",
    }),
  );
}

function toJson(code: string, fields: readonly ExplainedField[], result: BrCode | BrCodeError) {
  const isWrong = result instanceof BrCodeError;
  return {
    valid: !isWrong,
    code,
    kind: isWrong ? null : result.kind,
    wrong: isWrong ? { field: result.field, message: result.text.en } : null,
    fields: fields.map(({ id, name, value = null, note }) => ({
      id,
      name: name.en,
      value,
      note: note?.en ?? null,
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

const KINDS: Readonly<Record<BrCode["kind"], LocalizedText>> = {
  dynamic: {
    en: "Valid. A dynamic code: the payer's bank reads the charge from the location.",
    pt: "Válido. Um código dinâmico: o banco do pagador lê a cobrança na location.",
  },
  static: {
    en: "Valid. A static code: anyone can pay to its PIX key, several times.",
    pt: "Válido. Um código estático: qualquer pessoa pode pagar à chave PIX, várias vezes.",
  },
  recurrence: {
    en: "Valid. A recurrence of PIX Automático, without a charge.",
    pt: "Válido. Uma recorrência do PIX Automático, sem cobrança.",
  },
};
