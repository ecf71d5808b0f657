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
      <span class="row-line">
        <strong class="cut">{title}</strong>
        <span>{value}</span>
      </span>
      <span class="row-line dim">
        <span class={isNoteBad ? "cut bad" : "cut"}>{note}</span>
        <span>{end}</span>
      </span>
    </>
  );
}
