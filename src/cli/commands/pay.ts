import type { Command } from "commander";
import type { ClientOptions } from "../command-client.ts";
import { checkBrCode, isBrCode, readCodeSource } from "../code-source.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { arg } from "../placeholders.ts";
import { resolveId } from "../resolve-id.ts";
import { type MovedRecord, printMoved } from "./records.ts";

export function payCommand(io: Io): Command {
  const command = clientCommand("pay")
    .argument(
      arg("BR code, image or id..."),
      localize({
        en: "a BR Code in quotes, the path of a PNG or JPEG of its QR code, a payin's id, or - for stdin",
        pt: "um BR Code entre aspas, o caminho de um PNG ou JPEG do QR Code, o id de um payin, ou - para stdin",
      }),
    )
    .action(
      async (
        words: readonly string[],
        { json, ...options }: ClientOptions & { json?: boolean },
      ) => {
        const source = await readCodeSource(words, io);
        const client = clientFor(options);
        let paid: MovedRecord;
        if ("picture" in source) paid = await client.control("POST", "/pay", source.picture);
        else if (isBrCode(source.text)) {
          checkBrCode(source.text);
          paid = await client.control("POST", "/pay", { code: source.text });
        } else {
          const id = await resolveId(client, "payin", source.text);
          paid = await client.control("POST", `/payins/${id}/pay`);
        }
        if (json) io.printJson(paid);
        else printMoved(io, "payin", paid);
      },
    );
  return withExamples(command, ["pay charge.png", "pay '00020101021226…63041D3D'", "pay last"]);
}
