import { useLayoutEffect, useRef } from "preact/hooks";
import { isHelpOpen } from "../state/keys.ts";
import { t } from "../state/language.ts";
import { say } from "../../text/message.ts";

/** The list of keys. */
export function Help() {
  return isHelpOpen.value ? <HelpDialog /> : null;
}

function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      onClose={() => (isHelpOpen.value = false)}
      aria-labelledby="keys"
      data-testid="help"
    >
      <h2 id="keys">{t(say`Shortcuts`)}</h2>
      <dl class="keys">
        {keyTexts().map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">{t(say`Close`)}</button>
      </form>
    </dialog>
  );
}

function keyTexts(): readonly (readonly [string, string])[] {
  return [
    ["j", t(say`next row`)],
    ["k", t(say`previous row`)],
    ["Enter", t(say`open`)],
    ["Esc", t(say`close, and return to the row`)],
    ["p", t(say`pay the payin`)],
    ["r", t(say`resend the webhook`)],
    ["/", t(say`search`)],
    ["Ctrl K", t(say`find panes, records and actions`)],
    ["?", t(say`this list`)],
  ];
}
