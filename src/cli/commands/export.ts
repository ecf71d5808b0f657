import { urlOption } from "../client/command-client.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import type { History } from "../../play/export/happenings.ts";
import type { Export } from "../../play/export/retell.ts";
import { defineOwnCommand } from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";
import { idOf, oneOf } from "../definition/parameters.ts";
import { idHelp } from "../definition/resolve-id.ts";
import { PROGRAM } from "../../platform/program.ts";
import { loadLanguages } from "../../text/languages.ts";
import { say } from "../../text/message.ts";

/** Each format's writer, loaded when it is used. */
const WRITERS = {
  scenario: async () => (await import("../../play/export/scenario.ts")).toScenario,
  curl: async () => (await import("../export/curl.ts")).toCurl,
} satisfies Record<string, () => Promise<(exported: Export) => string>>;

const FORMATS = ["scenario", "curl"] as const satisfies readonly (keyof typeof WRITERS)[];

export const exportCommand = defineOwnCommand("export", {
  flags: {
    as: oneOf(FORMATS, "format", say`the format to print`, { isMandatory: true }),
    transaction_id: idOf("transaction", transactionHelp, { flag: "transaction" }),
  },
  async run({ as, transaction_id: id }, { io, client, json }) {
    const { historyOf, readHistory } = await import("../../play/export/happenings.ts");
    const history = await readHistory(client, (token) => client.as(token));
    if (id) checkExists(id, history, urlOption(client.url));
    const { retell } = await import("../../play/export/retell.ts");
    // A scenario describes itself in every language.
    await loadLanguages();
    const { startSandbox } = await import("../../server/start.ts");
    const start = () => startSandbox({ report: () => undefined });
    const told = id === undefined ? history : historyOf(new Set([id]), history);
    const exported = await retell(told, start);
    if (exported.steps.length === 0) throw nothing(urlOption(client.url));
    const text = (await WRITERS[as]())(exported);
    const notes = exported.notes.map((note) => localize(note));
    if (json) return io.printJson({ as, text, notes });
    for (const note of notes) io.printError(note);
    return io.print(text);
  },
  examples: [
    "export --as scenario --token my-shop > payment.json",
    "export --as curl --transaction last",
  ],
});

function transactionHelp(): string {
  const only = localize(say`only this transaction and its causes`);
  return `${only} (${idHelp("transaction")})`;
}

function checkExists(id: string, { payins, payouts }: History, at: string): void {
  if ([...payins, ...payouts].some((record) => record.id === id)) return;
  throw new CliError(
    EXIT.notFound,
    "NOT_FOUND",
    say`There is no payin or payout with the id ${id}.`,
    say`List them with: ${PROGRAM} payin list${at}; ${PROGRAM} payout list${at}`,
  );
}

function nothing(at: string): CliError {
  return new CliError(
    EXIT.notFound,
    "NOTHING_TO_EXPORT",
    say`Nothing has happened in this sandbox that can be exported.`,
    say`Create a transaction first, for example with: ${PROGRAM} trigger payin.paid${at}`,
  );
}
