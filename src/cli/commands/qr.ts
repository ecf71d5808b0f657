import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { BrCodeError, readBrCode } from "../../core/payments/br-code.ts";
import type { WirePayin } from "../../core/payments/payin.ts";
import type { ClientOptions } from "../client.ts";
import { usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { retell, t } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { drawQrCode } from "../qr.ts";

interface QrOptions extends ClientOptions {
  readonly output?: string;
  readonly json?: boolean;
}

export function qrCommand(io: Io): Command {
  const command = clientCommand("qr")
    .description("draw a payin's QR code in the terminal, or write it to a file")
    .argument("<payin id or BR code>")
    .option("-o, --output <file>", "write it there, as .png or .svg")
    .action(async (source: string, { output, json, ...options }: QrOptions) => {
      const code = await toCode(source, options);
      if (output !== undefined) {
        await writeFile(output, await renderImage(code, output));
        io.say(t`The QR code is in ${output}.`);
      }
      if (json) io.printJson({ qr_code: code });
      else if (output === undefined) io.print(drawQrCode(code));
    });
  return withExamples(command, [
    "qr 5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10",
    "qr 5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10 -o charge.png",
  ]);
}

/** Every BR code begins with its format indicator, and no id does. */
async function toCode(source: string, options: ClientOptions): Promise<string> {
  const text = source.trim();
  if (!text.startsWith("0002")) {
    return (
      await clientFor(options).control<WirePayin>("GET", `/payins/${encodeURIComponent(text)}`)
    ).qr_code;
  }
  try {
    readBrCode(text);
    return text;
  } catch (error) {
    if (error instanceof BrCodeError)
      throw usageError(t`That BR code is wrong in field ${error.field}: ${retell(error.message)}`);
    throw error;
  }
}

async function renderImage(code: string, file: string): Promise<string | Buffer> {
  const { renderQr } = await import("../../sandbox/tools.ts");
  if (/\.svg$/i.test(file)) return renderQr(code, "svg");
  if (/\.png$/i.test(file)) return renderQr(code, "png");
  throw usageError(t`${file} is neither .png nor .svg.`, t`Give the file one of these endings.`);
}
