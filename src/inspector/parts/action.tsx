import { toSafeText } from "../../text/plain/safe-text.ts";
import { type Action, commandLine, curlLine, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { CopyButton } from "./copy.tsx";
import { Floating } from "./floating.tsx";
import { ICONS, Icon } from "./icon.tsx";
import { say } from "../../text/message.ts";

/** The buttons of some actions, and behind one sign the commands that do the same. */
export function Actions(props: {
  readonly actions: readonly Action[];
  /** Actions whose buttons are elsewhere: only their commands are here. */
  readonly others?: readonly Action[] | undefined;
  /** Whether only the first action has a button of its own, and the others are in a menu. */
  readonly isShort?: boolean;
}) {
  const { actions, others = [], isShort = false } = props;
  if (actions.length === 0) return null;
  const shown = isShort && actions.length > 2 ? 1 : actions.length;
  const hidden = actions.slice(shown);
  return (
    <div class="buttons actions">
      {actions.slice(0, shown).map((action) => (
        <button
          key={action.label}
          type="button"
          class={[action.isMain && "main", action.isDanger && "danger"].filter(Boolean).join(" ")}
          onClick={() => void run(action)}
        >
          {action.label}
        </button>
      ))}
      {hidden.length > 0 && (
        <Floating
          title={t(say`More actions`)}
          isSign
          class="icon"
          button={<Icon path={ICONS.dots} />}
          testId="more-actions"
        >
          {(close) => (
            <div class="menu">
              {hidden.map((action) => (
                <button
                  key={action.label}
                  type="button"
                  class={action.isDanger ? "danger" : undefined}
                  onClick={() => {
                    close();
                    void run(action);
                  }}
                >
                  {action.label}
                </button>
              ))}
            </div>
          )}
        </Floating>
      )}
      <EquivalentsButton actions={[...actions, ...others]} />
    </div>
  );
}

/** The sign behind which the commands are that do the same as some actions. */
export function EquivalentsButton({ actions }: { readonly actions: readonly Action[] }) {
  return (
    <Floating
      title={t(say`Equivalent commands`)}
      isSign
      class="icon"
      button={<Icon path={ICONS.code} />}
      testId="equivalents"
    >
      {() => (
        <div data-testid="commands">
          {actions.map((action) => (
            <Equivalents key={action.label} action={action} />
          ))}
        </div>
      )}
    </Floating>
  );
}

/** The commands that do the same as an action. */
function Equivalents({ action }: { readonly action: Action }) {
  const { label, command, integration } = action;
  return (
    <div class="equivalents">
      <p class="small-text dim">{label}</p>
      {command && <Command text={commandLine(command, integration)} />}
      <Command text={curlLine(action)} />
    </div>
  );
}

/** A command line with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      {/* A word stands on one line where it can: it would break after its hyphens. */}
      <code>
        {toSafeText(text)
          .split(" ")
          .flatMap((word, index) => [index > 0 && " ", <span key={index}>{word}</span>])}
      </code>
      <CopyButton text={text} label={t(say`Copy the command`)} />
    </div>
  );
}
