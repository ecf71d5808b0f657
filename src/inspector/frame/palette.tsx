import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { foundRecords, type PaletteEntry, paletteEntries } from "./palette-entries.ts";
import { isPaletteOpen } from "../state/keys.ts";
import { t } from "../state/language.ts";
import { say } from "../../text/message.ts";

/** Everything that the page can find and do, by name. */
export function Palette() {
  return isPaletteOpen.value ? <PaletteDialog /> : null;
}

function PaletteDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [q, setQ] = useState("");
  const [chosen, setChosen] = useState(0);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const all = useMemo(paletteEntries, []);
  const found = useMemo(
    () => [...all.filter((entry) => isNamed(entry, q)), ...foundRecords(q)],
    [q],
  );
  const title = t(say`Find and do`);
  const idOf = (index: number): string => `palette-${index}`;
  const choose = (index: number): void => {
    const next = Math.min(Math.max(0, index), found.length - 1);
    setChosen(next);
    document.getElementById(idOf(next))?.scrollIntoView({ block: "nearest" });
  };
  const act = (entry: PaletteEntry | undefined): void => {
    if (!entry) return;
    dialog.current?.close();
    entry.act();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={title}
      data-testid="palette"
      onClose={() => (isPaletteOpen.value = false)}
      // A click beside it.
      onClick={(event) => event.target === event.currentTarget && dialog.current?.close()}
    >
      <input
        role="combobox"
        aria-label={title}
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? idOf(chosen) : undefined}
        placeholder={t(say`A pane, an action, a name, an id, an amount…`)}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={q}
        onInput={(event) => {
          setQ(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (move === undefined && event.key !== "Enter") return;
          event.preventDefault();
          if (move === undefined) act(found[chosen]);
          else choose(chosen + move);
        }}
      />
      <ul id="palette-list" role="listbox" aria-label={title}>
        {found.map((entry, index) => (
          <li
            key={entry.name + index}
            id={idOf(index)}
            role="option"
            aria-selected={index === chosen}
            onPointerMove={() => setChosen(index)}
            onClick={() => act(entry)}
          >
            <span class="cut">{entry.name}</span>
            <span class="dim">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="dim">{t(say`Nothing has this name.`)}</p>}
    </dialog>
  );
}

/** Whether each word of a search is in an entry's name or kind. */
function isNamed({ name, kind }: PaletteEntry, q: string): boolean {
  const text = plain(`${name} ${kind}`);
  return plain(q)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Without capitals and accents. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
