import { type Assumptions, STANDARD_ASSUMPTIONS } from "../../core/assumptions/table.ts";
import type { Settings } from "../../http/routes/table.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, plural, say } from "../../text/message.ts";
import { aheadOfRealTime } from "../../text/duration.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { urlOption } from "../client/command-client.ts";
import { localize } from "../terminal/language.ts";

/** A line of name and value; further lines have values only. */
export type SettingRow = readonly [name: Message, values: readonly string[]];

/**
 * What may surprise in a sandbox that ran before, each with the commands that undo it.
 * @param isComplete whether there is a row for what is not changed, too
 */
export function settingRows(
  settings: Settings,
  url: string,
  { isComplete, canUndo }: { readonly isComplete: boolean; readonly canUndo: boolean },
): readonly SettingRow[] {
  const { ahead_seconds, faults, assumptions, integration_assumptions = {} } = settings;
  const { webhook_configurations: configurations = 0 } = settings;
  const at = urlOption(url);
  const choices = renderChoices(assumptions);
  const own = Object.entries(integration_assumptions).flatMap(([token, changes]) =>
    renderChoices(changes).map((choice) => `${toSafeLine(token)}: ${choice}`),
  );
  const isMoved = aheadOfRealTime(ahead_seconds * 1000) !== undefined;
  const isChanged = isMoved || choices.length > 0 || own.length > 0 || configurations > 0;
  const rows: SettingRow[] = [];
  if (faults > 0 || isComplete)
    rows.push([
      say`Faults`,
      [
        localize(plural(faults, say.for("one fault")`${faults} armed`, say`${faults} armed`)),
        ...(faults > 0 ? [`${PROGRAM} faults list${at}`, `${PROGRAM} faults clear${at}`] : []),
      ],
    ]);
  if (choices.length > 0 || own.length > 0)
    rows.push([
      say`Assumptions`,
      [
        ...choices,
        ...own,
        ...(choices.length > 0 && canUndo
          ? [localize(say`to undo one, start with --assume NAME=DEFAULT`)]
          : []),
      ],
    ]);
  else if (isComplete) rows.push([say`Assumptions`, [localize(say`none changed`)]]);
  if (configurations > 0) rows.push([say`Webhooks`, [localize(alsoTo(configurations))]]);
  if (isChanged && canUndo)
    rows.push([
      say`Undo all`,
      [
        `${PROGRAM} reset${at}`,
        localize(say`sets back the clock, assumptions and webhook URLs;`),
        localize(say`deletes all payins, payouts, webhooks, keys and faults`),
      ],
    ]);
  return rows;
}

function alsoTo(count: number): Message {
  return plural(
    count,
    say`also to the URL that ${count} integration configured`,
    say`also to the URLs that ${count} integrations configured`,
  );
}

function renderChoices(choices: Settings["assumptions"]): string[] {
  return Object.entries(choices).map(([name, choice]) => {
    const standard = (STANDARD_ASSUMPTIONS as Partial<Assumptions>)[name as keyof Assumptions];
    const chosen = toSafeLine(`${name}=${choice}`);
    return standard === undefined || standard === choice
      ? chosen
      : localize(say`${chosen} (default ${standard})`);
  });
}
