import type { ComponentChildren } from "preact";

const TITLE = "pane-title";

/** A pane that scrolls as a whole, under a title. */
export function Pane(props: {
  readonly title: string;
  /** Beside the title. */
  readonly note?: string | undefined;
  /** At the end of the title's line, such as buttons. */
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { title, note, end, children } = props;
  return (
    <div class="sheet">
      <div class="sheet-head">
        <h2 id={TITLE} tabIndex={-1}>
          {title}
          {note !== undefined && <span class="note"> {note}</span>}
        </h2>
        {end}
      </div>
      {children}
    </div>
  );
}

/**
 * Moves the focus on if the element that had it is gone, such as a button that has done its work: to the first control
 * of the row with this id, else to the pane's title.
 */
export function keepFocus(rowId?: string): void {
  // The page is drawn first.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      const row = rowId !== undefined && `[data-id="${CSS.escape(rowId)}"]`;
      const control =
        row && document.querySelector<HTMLElement>(`${row} :is(select, input, button)`);
      if (control) control.focus({ preventScroll: true });
      else focusTitle();
    }),
  );
}

/** Moves the focus to the pane's title. */
export function focusTitle(): void {
  document.getElementById(TITLE)?.focus({ preventScroll: true });
}
