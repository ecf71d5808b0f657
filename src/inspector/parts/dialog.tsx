import { useLayoutEffect, useRef } from "preact/hooks";
import { toSafeText } from "../../text/plain/safe-text.ts";
import { asked, failure, run } from "../state/actions.ts";
import { t } from "../state/language.ts";
import { say } from "../../text/message.ts";

/** The question of an action, and the message of one that failed. */
export function Dialogs() {
  return (
    <>
      {asked.value && <Question />}
      {failure.value !== undefined && (
        <div class="notice failure" role="alert" data-testid="failure">
          <p>{toSafeText(failure.value)}</p>
          <button type="button" onClick={() => (failure.value = undefined)}>
            {t(say`Close`)}
          </button>
        </div>
      )}
    </>
  );
}

function Question() {
  const action = asked.value;
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the page is drawn: a key that is pressed at once is meant for the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  if (!action) return null;
  const { isDanger } = action;
  // A dialog that is closed, not only removed, gives the focus back.
  const close = (): void => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      onClose={() => (asked.value = undefined)}
      aria-labelledby="question"
      data-testid="question"
    >
      <p id="question">{toSafeText(action.question ?? "")}</p>
      <div class="buttons">
        <button
          type="button"
          autofocus={!isDanger}
          class={isDanger ? "main danger" : "main"}
          onClick={() => {
            close();
            void run(action);
          }}
        >
          {action.label}
        </button>
        <button type="button" autofocus={isDanger === true} onClick={close}>
          {t(say`Cancel`)}
        </button>
      </div>
    </dialog>
  );
}
