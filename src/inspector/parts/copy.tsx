import { useEffect, useState } from "preact/hooks";
import { t } from "../state/language.ts";
import { say } from "../../text/message.ts";

const SHOWN_MS = 1500;

/** Copies a text, and says so for a moment. */
export function CopyButton(props: {
  readonly text: string;
  readonly label: string;
  /** Shown on the button; default: a sign alone. */
  readonly caption?: string;
}) {
  const { text, label, caption } = props;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copied = t(say`Copied`);
  return (
    <button
      type="button"
      class="copy"
      aria-label={isCopied ? copied : label}
      title={label}
      onClick={(event) => {
        event.stopPropagation();
        void copyText(text).then(() => setCopied(true));
      }}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
        {isCopied ? (
          <path d="M3 8.5l3.5 3.5L13 4.5" />
        ) : (
          <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
        )}
      </svg>
      {caption !== undefined && ` ${isCopied ? copied : caption}`}
    </button>
  );
}

/** The clipboard's interface needs HTTPS or this machine; a phone in the network has neither. */
async function copyText(text: string): Promise<void> {
  if (globalThis.isSecureContext) return navigator.clipboard.writeText(text);
  const focused = document.activeElement as HTMLElement | null;
  const area = document.createElement("textarea");
  area.value = text;
  // Under an open dialog nothing can be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  focused?.focus();
}
