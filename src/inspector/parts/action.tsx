import { toSafeText } from "../../core/safe-text.ts";
import { type Action, commandLine, curlLine, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { CopyButton } from "./copy.tsx";

/** The buttons of some actions, and the commands that do the same. */
export function Actions({ actions }: { readonly actions: readonly Action[] }) {
  if (actions.length === 0) return null;
  return (
    <div class="actions">
      <div class="buttons">
        {actions.map((action) => (
          <button
            key={action.path}
            type="button"
            class={action.isMain ? "main" : undefined}
            onClick={() => void run(action)}
          >
            {action.label}
          </button>
        ))}
      </div>
      <details>
        <summary>{t({ en: "The same by command", pt: "O mesmo por comando" })}</summary>
        {actions.map((action) => (
          <div key={action.path} class="equivalents">
            <p class="label">{action.label}</p>
            <Command text={commandLine(action)} />
            <Command text={curlLine(action)} />
          </div>
        ))}
      </details>
    </div>
  );
}

/** A command line with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>{toSafeText(text)}</code>
      <CopyButton text={text} label={t({ en: "Copy the command", pt: "Copiar o comando" })} />
    </div>
  );
}
