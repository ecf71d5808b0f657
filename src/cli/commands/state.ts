import { isFile, labelOf, wrongAddress } from "../../server/options/state-kinds.ts";
import type { CopiedState } from "../../server/tools/tools.ts";
import { countsOf } from "../output/render.ts";
import { usageError } from "../terminal/errors.ts";
import { pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { withProgress } from "../client/progress.ts";
import { defineGroup, defineOwnCommand } from "../definition/define-command.ts";
import { freeText } from "../definition/parameters.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { listed, plural, say } from "../../text/message.ts";

const FILE = ".pix-sandbox/state.json";

const copy = defineOwnCommand("state copy", {
  summary: say`copy a state between files and databases, with its snapshots`,
  isLocal: true,
  arguments: {
    from: freeText("from", say`a state file, or the address of a database`),
    to: freeText("to", say`the same, where no state is yet`),
  },
  async run({ from, to }, { io, json }) {
    for (const address of [from, to]) refuseAddress(address);
    const { copyState } = await import("../../server/tools/tools.ts");
    const place = (one: string): string => (isFile(one) ? pathIn(io, one) : one);
    const names = { from: labelOf(from), to: labelOf(to) };
    const label = localize(say`Copying ${names.from}`);
    const { toStateError } = await import("../serving/start-error.ts");
    const copied = await withProgress(io, { label: toSafeLine(label), isSilent: json }, () =>
      copyState(place(from), place(to)).catch(toStateError),
    );
    if (json) io.printJson({ ...names, ...copied });
    else io.print(toSafeLine(renderCopied(copied, names)));
  },
  examples: [
    `state copy ${FILE} copy.json`,
    'state copy copy.json "postgres://user@host/db?sandbox=team"',
  ],
});

export const stateCommand = defineGroup("state", [`state copy ${FILE} copy.json`], [copy]);

function refuseAddress(address: string): void {
  const wrong = wrongAddress(address);
  if (wrong) throw usageError(wrong);
}

function renderCopied(
  { payins, payouts, deliveries, snapshots }: CopiedState,
  { from, to }: { readonly from: string; readonly to: string },
): string {
  const counts = listed([
    countsOf(payins, payouts),
    plural(deliveries, say`${deliveries} webhook`, say`${deliveries} webhooks`),
    plural(snapshots, say`${snapshots} snapshot`, say`${snapshots} snapshots`),
  ]);
  return localize(say`Copied from ${from} to ${to}: ${counts}.`);
}
