import type { ComponentChildren } from "preact";

/** What a row shows: what a person looks for, and below it what happened last. */
export function Row(props: {
  /** The shape of its status. */
  readonly mark: ComponentChildren;
  readonly title: ComponentChildren;
  /** At the right of the title, such as an amount. */
  readonly value?: ComponentChildren;
  readonly note: ComponentChildren;
  readonly isNoteBad?: boolean;
  /** At the right of the note, such as a time. */
  readonly end: ComponentChildren;
}) {
  const { mark, title, value, note, isNoteBad, end } = props;
  return (
    <>
      {mark}
      <span class="row-title">{title}</span>
      <span class="row-value">{value}</span>
      <span class={isNoteBad ? "row-note bad" : "row-note"}>{note}</span>
      <span class="row-end">{end}</span>
    </>
  );
}
