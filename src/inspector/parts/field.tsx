import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** The attributes that tie a control to its label, hint and error. */
export interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

/** A control under its label; what is wrong, and else a hint, is below it. */
export function Field(props: {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly isWide?: boolean;
  readonly children: (attributes: ControlAttributes) => ComponentChildren;
}) {
  const { label, hint, error, isWide, children } = props;
  const id = useId();
  const isWrong = error !== undefined;
  const hasText = isWrong || hint !== undefined;
  return (
    <div class={isWide ? "field wide" : "field"}>
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": hasText ? `${id}-text` : undefined,
        "aria-invalid": isWrong || undefined,
      })}
      {hasText && <FieldText id={`${id}-text`} hint={hint} error={error} />}
    </div>
  );
}

/** What is wrong with a control, else a hint. */
export function FieldText(props: {
  readonly id: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}) {
  const { id, hint, error } = props;
  if (error === undefined)
    return (
      <p id={id} class="hint">
        {hint}
      </p>
    );
  return (
    <p id={id} class="error" data-testid="field-error">
      <span aria-hidden="true">✕</span> {error}
    </p>
  );
}
