import { isLikeBrCode } from "../../core/records/br-code.ts";
import { checkBrCode, CODE_SOURCE, readCodeSource } from "../definition/code-source.ts";
import { defineLoading, type Run } from "../definition/define-command.ts";
import { EXIT } from "../terminal/errors.ts";
import { resolveId } from "../definition/resolve-id.ts";
import { showMoved, type MovedRecord } from "./records.ts";

export const payCommand = defineLoading("pay", {
  arguments: { source: CODE_SOURCE },
  load: ({ source }, run) => pay(source, run),
  show: (paid, run) => showMoved("payin", paid, run),
  examples: ["pay last", "pay charge.png", "pay '00020101021226…63041D3D'"],
});

async function pay(words: readonly string[], run: Run): Promise<MovedRecord> {
  const { client } = run;
  const source = await readCodeSource(words, run);
  if ("text" in source && !isLikeBrCode(source.text))
    return client.call("POST /payins/{id}/pay", {
      id: await resolveId(client, "payin", source.text),
    });
  const code = "text" in source ? source.text : source.code;
  checkBrCode(code, EXIT.checkFailed);
  return client.call("POST /pay", { code });
}
