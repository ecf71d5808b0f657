import { toSafeText } from "../../text/plain/safe-text.ts";
import { type Action, commandLine, curlLine, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { CopyButton } from "./copy.tsx";
import { say } from "../../text/message.ts";

/** The buttons of some actions, and the commands that do the same. */
export function Actions(props: {
  readonly actions: readonly Action[];
  /** Actions whose buttons are elsewhere: only their commands are here. */
  readonly others?: readonly Action[] | undefined;
}) {
  const { actions, others = [] } = props;
  if (actions.length === 0) return null;
  return (
    <div class="actions">
      <div class="buttons">
        {actions.map((action) => (
          <button
            key={action.label}
            type="button"
            class={action.isMain ? "main" : undefined}
            onClick={() => void run(action)}
          >
            {action.label}
          </button>
        ))}
      </div>
      <details>
        <summary>{t(say`Equivalent commands`)}</summary>
        {[...actions, ...others].map((action) => (
          <Equivalents key={action.label} action={action} />
        ))}
      </details>
    </div>
  );
}

/** The commands that do the same as an action. */
export function Equivalents({ action }: { readonly action: Action }) {
  const { label, command, integration } = action;
  return (
    <div class="equivalents">
      <p class="dim">{label}</p>
      {command && <Command text={commandLine(command, integration)} />}
      <Command text={curlLine(action)} />
    </div>
  );
}

/** A command line with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>{toSafeText(text)}</code>
      <CopyButton text={text} label={t(say`Copy the command`)} />
    </div>
  );
}
