import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { WirePayin } from "../../core/records/payin.ts";
import { checkBrCode, isBrCode } from "../code-source.ts";
import type { ClientOptions } from "../command-client.ts";
import { unwritableFile, usageError } from "../errors.ts";
import { type Io, pathIn } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, someText, withExamples } from "../options.ts";
import { drawQrCode } from "../draw-qr.ts";
import { resolveId } from "../resolve-id.ts";
import { arg } from "../placeholders.ts";

interface QrOptions extends ClientOptions {
  readonly output?: string;
  readonly json?: boolean;
}

export function qrCommand(io: Io): Command {
  const command = clientCommand("qr")
    .argument(
      arg("payin id or BR code"),
      localize({
        en: "a payin's id, a unique beginning of it, last, or a BR Code in quotes",
        pt: "o id de um payin, um começo único dele, last, ou um BR Code entre aspas",
      }),
      someText,
    )
    .option(
      `-o, --output ${arg("file")}`,
      localize({ en: "the .png or .svg file to write", pt: "o arquivo .png ou .svg a gravar" }),
    )
    .action(async (source: string, { output, json, ...options }: QrOptions) => {
      const code = await toCode(source, options);
      if (output !== undefined) {
        const image = await renderImage(code, output);
        await writeFile(pathIn(io, output), image).catch((error: Error) => {
          throw unwritableFile(
            output,
            error,
            localize({
              en: "Create its folder, or choose another file with --output.",
              pt: "Crie a pasta dele, ou escolha outro arquivo com --output.",
            }),
          );
        });
        io.printError(
          localize({ en: `QR code written to ${output}.`, pt: `QR Code gravado em ${output}.` }),
        );
      }
      if (json) io.printJson({ qr_code: code });
      else if (output === undefined) io.print(drawQrCode(code, io.color));
    });
  return withExamples(command, [
    "qr last",
    "qr 5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10 -o charge.png",
  ]);
}

async function toCode(source: string, options: ClientOptions): Promise<string> {
  const text = source.trim();
  if (isBrCode(text)) {
    checkBrCode(text);
    return text;
  }
  const client = clientFor(options);
  const path = `/payins/${await resolveId(client, "payin", text)}`;
  return (await client.control<WirePayin>("GET", path)).qr_code;
}

async function renderImage(code: string, file: string): Promise<string | Buffer> {
  const { renderQr } = await import("../../server/tools/tools.ts");
  if (/\.svg$/i.test(file)) return renderQr(code, "svg");
  if (/\.png$/i.test(file)) return renderQr(code, "png");
  throw usageError(
    localize({ en: `Invalid --output ${file}.`, pt: `--output inválido: ${file}.` }),
    localize({
      en: "Use a file name that ends in .png or .svg.",
      pt: "Use um nome de arquivo que termine em .png ou .svg.",
    }),
  );
}
