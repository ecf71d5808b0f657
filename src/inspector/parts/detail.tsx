import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { toSafeText } from "../../text/plain/safe-text.ts";
import { t } from "../state/language.ts";
import type { Found } from "../state/record.ts";
import { ICONS, Icon } from "./icon.tsx";
import { Copied } from "./text.tsx";
import { closeAndFocus } from "../state/keys.ts";
import { say } from "../../text/message.ts";

/** The head of an open record: what matters most, what can be done, and the way back. */
export function DetailHead(props: {
  readonly title: ComponentChildren;
  readonly status?: ComponentChildren;
  /** Below the title, such as who pays. */
  readonly about?: ComponentChildren;
  /** The buttons. */
  readonly actions?: ComponentChildren;
  readonly id: string;
}) {
  const { title, status, about, actions, id } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  // A screen reader reads what was opened.
  useEffect(() => heading.current?.focus(), [id]);
  const close = t(say`Close`);
  return (
    <div class="detail-head">
      <h2 ref={heading} tabIndex={-1}>
        {title} {status}
      </h2>
      <div class="buttons">
        {actions}
        <button
          type="button"
          class="icon"
          aria-label={close}
          title={`${close} (Esc)`}
          data-testid="close"
          onClick={closeAndFocus}
        >
          <Icon path={ICONS.close} />
        </button>
      </div>
      {about !== undefined && <p>{about}</p>}
    </div>
  );
}

/** In place of a record that is loading, or that the sandbox does not have. */
export function NotFound({
  title,
  id,
  found,
}: {
  title: string;
  id: string;
  found: Found<unknown>;
}) {
  return (
    <>
      <DetailHead title={title} id={id} />
      <p data-testid="not-found">{toSafeText(found.message ?? t(say`Loading…`))}</p>
    </>
  );
}

/** Names and values; a wide one, such as an address, has the room of two. One without a value is left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, ComponentChildren, "wide"?])[];
}) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value, width]) => (
          <div key={name} class={width}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The whole id of a record. */
export function WholeId({ id }: { readonly id: string }) {
  return (
    <span data-testid="detail-id">
      <Copied text={id} />
    </span>
  );
}
