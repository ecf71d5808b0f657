import { ruleOf } from "../../review/rules.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { renderTable, type Table } from "../terminal/table.ts";
import type { Sent } from "../../play/check-webhook/verdicts.ts";
import { say } from "../../text/message.ts";

const TABLE: Table<Sent> = {
  none: say`Nothing was sent.`,
  columns: [
    { title: say`RULE`, text: numbersOf },
    { title: say`SENT`, text: ({ what }) => localize(what) },
    { title: say`EXPECTED`, text: ({ expected }) => localize(expected) },
    {
      title: say`SEEN`,
      text: ({ seen }) => localize(seen),
      least: 12,
      isFailure: ({ broken }) => broken.length > 0,
    },
  ],
};

/** Renders what was sent, what a correct handler does with it, and what this one did. */
export function renderSent(sent: readonly Sent[], io: Pick<Io, "columns" | "color">): string {
  return renderTable(TABLE, sent, {
    columns: Math.min(io.columns ?? WIDTH, WIDTH),
    color: io.color,
  });
}

/** The commands that show each failure again. */
export function renderCommands(sent: readonly Sent[]): string {
  return sent
    .filter(({ broken }) => broken.length > 0)
    .map((one) => `# ${[...one.broken].map(titleOf).join(", ")}\n${toSafeLine(one.command)}`)
    .join("\n\n");
}

/** The width of the table. */
const WIDTH = 80;

function titleOf(id: Sent["rules"][number]): string {
  return `${ruleOf(id).number} ${id}`;
}

/** The numbers of rules, with a dash for those between. */
function numbersOf({ rules }: Sent): string {
  const numbers = rules.map((id) => ruleOf(id).number);
  return numbers.length > 1 ? `${Math.min(...numbers)}-${Math.max(...numbers)}` : `${numbers[0]}`;
}
