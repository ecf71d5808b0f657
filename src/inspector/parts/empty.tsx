import { t } from "../state/language.ts";
import { filter, place } from "../state/navigation.ts";
import { Command } from "./action.tsx";
import { commandLine } from "../state/actions.ts";
import { loads } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";

/** Shown in place of an empty list: the command that fills it, or the filter that hides all rows. */
export function Empty({
  text,
  command,
}: {
  readonly text: string;
  readonly command: readonly string[];
}) {
  const { status, q } = place.value;
  if (loads.value === 0) return <p>{t(say`Loading…`)}</p>;
  if (status || q)
    return (
      <>
        <p>{t(say`Nothing matches the filter.`)}</p>
        <button type="button" onClick={() => filter({ status: undefined, q: undefined })}>
          {t(say`Clear the filter`)}
        </button>
      </>
    );
  return (
    <>
      <p>{text}</p>
      <Command text={commandLine(command)} />
    </>
  );
}
