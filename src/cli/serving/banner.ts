import { toSafeLine } from "../../text/safe-text.ts";
import { VERSION } from "../../wire/version.ts";
import { PROGRAM } from "../../platform/program.ts";
import type { Sandbox } from "../../server/start.ts";
import { labelOf } from "../../server/options/state-kinds.ts";
import { urlOption } from "../command-client.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { inspectorUrl } from "./ready.ts";

export function renderBanner(
  sandbox: Sandbox,
  stateFile: string | undefined,
  { errorColor: color }: Io,
): string {
  const { payins, payouts } = sandbox.count();
  const state =
    stateFile === undefined
      ? localize({ en: "in memory", pt: "em memória" })
      : `${labelOf(stateFile)}   ${localize({ en: `${payins} payins, ${payouts} payouts`, pt: `payins: ${payins}, payouts: ${payouts}` })}`;
  const line = (name: string, value: string): string =>
    `  ${color.dim(name)}${" ".repeat(11 - name.length)}${value}`;
  return [
    color.bold(`pix-sandbox ${VERSION}`),
    line("API", sandbox.baseUrl),
    line(localize({ en: "Inspector", pt: "Inspetor" }), inspectorUrl(sandbox)),
    line(localize({ en: "State", pt: "Estado" }), toSafeLine(state)),
    line(
      "Seed",
      `${toSafeLine(sandbox.seed)}   ${color.dim(localize({ en: "clock", pt: "relógio" }))} ${sandbox.clock.mode}`,
    ),
    line(localize({ en: "Next", pt: "Agora" }), nextCommand(sandbox)),
    localize({ en: "Ready. Press Ctrl-C to stop.", pt: "Pronto. Ctrl-C para sair." }),
  ].join("\n");
}

/** The command to try next, in another terminal. */
function nextCommand({ url }: Sandbox): string {
  return `${PROGRAM} trigger payin.paid${urlOption(url)}`;
}
