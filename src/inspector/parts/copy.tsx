import { useEffect, useState } from "preact/hooks";
import { t } from "../state/language.ts";
import { ICONS, Icon } from "./icon.tsx";
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
      class={caption === undefined ? (isCopied ? "copy done" : "copy") : undefined}
      aria-label={isCopied ? copied : label}
      title={label}
      onClick={(event) => {
        event.stopPropagation();
        void copyText(text).then(() => setCopied(true));
      }}
    >
      <Icon path={isCopied ? ICONS.done : ICONS.copy} />
      {caption !== undefined && (isCopied ? copied : caption)}
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
