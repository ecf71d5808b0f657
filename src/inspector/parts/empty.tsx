import type { ComponentChildren } from "preact";
import { t } from "../state/language.ts";
import { filter, place } from "../state/navigation.ts";
import { loads } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";

/** In place of an empty list: the buttons that fill it, or the one that removes the filter. */
export function Empty(props: { readonly text: string; readonly children?: ComponentChildren }) {
  const { text, children } = props;
  const { status, q } = place.value;
  if (loads.value === 0) return <p class="dim">{t(say`Loading…`)}</p>;
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
      {children && <div class="buttons">{children}</div>}
    </>
  );
}
