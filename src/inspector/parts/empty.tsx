import { t } from "../state/language.ts";
import { filter, place } from "../state/navigation.ts";
import { Command } from "./action.tsx";
import { commandLine } from "../state/actions.ts";
import { loads } from "../state/sandbox.ts";

/** Shown in place of an empty list: the command that fills it, or the filter that hides all rows. */
export function Empty({
  text,
  command,
}: {
  readonly text: string;
  readonly command: readonly string[];
}) {
  const { status, q } = place.value;
  if (loads.value === 0) return <p>{t({ en: "Loading…", pt: "Carregando…" })}</p>;
  if (status || q)
    return (
      <>
        <p>{t({ en: "Nothing matches the filter.", pt: "Nada corresponde ao filtro." })}</p>
        <button type="button" onClick={() => filter({ status: undefined, q: undefined })}>
          {t({ en: "Clear the filter", pt: "Limpar o filtro" })}
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
