import type { Command } from "commander";
import type { ClientOptions } from "../command-client.ts";
import { checkBrCode, CODE_SOURCES, isBrCode, readCodeSource } from "../code-source.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { arg } from "../placeholders.ts";
import { resolveId } from "../resolve-id.ts";
import { type MovedRecord, printMoved } from "./records.ts";

export function payCommand(io: Io): Command {
  const command = clientCommand("pay")
    .argument(arg("BR code, image or id..."), localize(CODE_SOURCES))
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
  return withExamples(command, ["pay last", "pay charge.png", "pay '00020101021226…63041D3D'"]);
}
