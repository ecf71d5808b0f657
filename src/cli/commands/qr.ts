import { writeFile } from "node:fs/promises";
import { isLikeBrCode } from "../../core/records/br-code.ts";
import { checkBrCode } from "../definition/code-source.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { drawQrCode } from "../terminal/draw-qr.ts";
import { unwritableFile, usageError } from "../terminal/errors.ts";
import { pathIn } from "../terminal/io.ts";
import { freeText, word } from "../definition/parameters.ts";
import { resolveId } from "../definition/resolve-id.ts";
import { say } from "../../text/message.ts";

export const qrCommand = defineOwnCommand("qr", {
  arguments: {
    source: word(
      "payin id or BR code",
      say`a payin's id, a unique beginning of it, last, or a BR Code in quotes`,
    ),
  },
  flags: {
    output: freeText("file", say`the .png or .svg file to write`, { short: "o" }),
  },
  async run({ source, output }, run) {
    const { io, json } = run;
    const code = await toCode(source.trim(), run);
    if (output !== undefined) {
      const image = await renderImage(code, output);
      await writeFile(pathIn(io, output), image).catch((error: Error) => {
        throw unwritableFile(
          output,
          error,
          say`Create its folder, or choose another file with --output.`,
        );
      });
      io.printError(say`QR code written to ${output}.`);
    }
    if (json) io.printJson({ qr_code: code });
    else if (output === undefined) io.print(drawQrCode(code, io.color));
  },
  examples: ["qr last", "qr 5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10 -o charge.png"],
});

async function toCode(source: string, run: Run): Promise<string> {
  if (isLikeBrCode(source)) {
    checkBrCode(source);
    return source;
  }
  const id = await resolveId(run.client, "payin", source);
  return (await run.client.call("GET /payins/{id}", { id })).qr_code;
}

async function renderImage(code: string, file: string): Promise<string | Buffer> {
  const { renderQr } = await import("../../server/tools/tools.ts");
  if (/\.svg$/i.test(file)) return renderQr(code, "svg");
  if (/\.png$/i.test(file)) return renderQr(code, "png");
  throw usageError(say`Invalid --output ${file}.`, say`Use a file name that ends in .png or .svg.`);
}
