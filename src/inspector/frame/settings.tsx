import { toSafeLine } from "../../text/plain/safe-text.ts";
import { isHelpOpen } from "../state/keys.ts";
import { chooseScope, scope } from "../state/control.ts";
import { chooseLanguage, language, t } from "../state/language.ts";
import { isPaused, pause, reload, resume } from "../state/live.ts";
import { integrations, loadAssumptions, loadReview, loadRules } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";
import { type Language, LANGUAGE_NAMES, LANGUAGES } from "../../text/languages.ts";

/** The integration that the whole page shows. */
export function Scope() {
  const chosen = scope.value;
  const known = integrations.value;
  return (
    <label class="scope">
      <span class="small-text dim">{t(say`Integration`)}</span>
      <select
        data-testid="integration"
        value={chosen ?? ""}
        onChange={(event) => {
          chooseScope(event.currentTarget.value || null);
          reload();
        }}
      >
        <option value="">{t(say`All integrations`)}</option>
        {(chosen === null || known.includes(chosen) ? known : [chosen, ...known]).map((one) => (
          <option key={one} value={one}>
            {toSafeLine(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Shows the page in another language; its texts of the sandbox follow. */
export function speak(choice: Language): void {
  chooseLanguage(choice);
  // A sandbox that does not respond is shown as lost already.
  for (const load of [loadAssumptions, loadReview, loadRules]) load().catch(() => undefined);
}

/** What is chosen seldom: the language, a pause. */
export function Settings({ close }: { readonly close: () => void }) {
  return (
    <>
      <label>
        <span class="small-text dim">{t(say`Language`)}</span>
        <select
          data-testid="language"
          value={language.value}
          onChange={(event) => speak(event.currentTarget.value as Language)}
        >
          {LANGUAGE_NAMES.map((one) => (
            <option key={one} value={one} lang={LANGUAGES[one].tag}>
              {LANGUAGES[one].ownName}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        onClick={() => {
          close();
          if (isPaused.value) resume();
          else pause();
        }}
      >
        {isPaused.value ? t(say`Resume the page`) : t(say`Pause the page`)}
      </button>
      <button
        type="button"
        onClick={() => {
          close();
          isHelpOpen.value = true;
        }}
      >
        {t(say`Shortcuts`)} <kbd>?</kbd>
      </button>
    </>
  );
}
