import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { toSafeLine, toSafeText } from "../../text/plain/safe-text.ts";
import { t } from "../state/language.ts";
import type { Found } from "../state/record.ts";
import { Status } from "./status.tsx";
import { CopyButton } from "./copy.tsx";
import { closeAndFocus } from "../state/keys.ts";
import { say } from "../../text/message.ts";

/** The head of an open record: what it is, its whole id, its status, and the way back. */
export function DetailHead(props: {
  readonly title: string;
  readonly id: string;
  readonly status?: string;
}) {
  const { title, id, status } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  // A screen reader reads what was opened.
  useEffect(() => heading.current?.focus(), [id]);
  return (
    <div class="detail-head">
      <h2 ref={heading} tabIndex={-1}>
        {title} {status !== undefined && <Status status={status} />}
      </h2>
      <span class="id whole" data-testid="detail-id">
        <code>{toSafeLine(id)}</code>
        <CopyButton text={id} label={t(say`Copy the id`)} />
      </span>
      <button type="button" class="close" onClick={closeAndFocus}>
        {t(say`Close`)} <kbd>Esc</kbd>
      </button>
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

/** Names and values; a wide one, such as an address, has a line of its own. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, ComponentChildren, "wide"?])[];
}) {
  return (
    <dl class="facts">
      {facts.map(([name, value, width]) => (
        <div key={name} class={width}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
