import { toSafeLine } from "../../text/plain/safe-text.ts";
import { isHelpOpen } from "../state/keys.ts";
import { chooseScope, scope } from "../state/control.ts";
import { chooseLanguage, language, t } from "../state/language.ts";
import { reload } from "../state/live.ts";
import { about, integrations, loadAssumptions, loadReview, loadRules } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";
import { type Language, LANGUAGE_NAMES, LANGUAGES } from "../../text/languages.ts";

/** What the whole page depends on: the integration and the language. */
export function Settings() {
  const chosen = scope.value;
  const known = integrations.value;
  return (
    <div class="settings">
      <label>
        <span class="label">{t(say`Integration`)}</span>
        <select
          data-testid="integration"
          value={chosen ?? ""}
          onChange={(event) => {
            chooseScope(event.currentTarget.value || null);
            reload();
          }}
        >
          <option value="">{t(say`all`)}</option>
          {(chosen === null || known.includes(chosen) ? known : [chosen, ...known]).map((one) => (
            <option key={one} value={one}>
              {toSafeLine(one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="label">{t(say`Language`)}</span>
        <select
          data-testid="language"
          value={language.value}
          onChange={(event) => {
            chooseLanguage(event.currentTarget.value as Language);
            // Their texts come from the sandbox; one that does not respond is shown as lost already.
            for (const load of [loadAssumptions, loadReview, loadRules])
              load().catch(() => undefined);
          }}
        >
          {LANGUAGE_NAMES.map((one) => (
            <option key={one} value={one} lang={LANGUAGES[one].tag}>
              {LANGUAGES[one].ownName}
            </option>
          ))}
        </select>
      </label>
      {about.value?.protected && (
        <form method="post" action="/_sandbox/sign-out">
          <button type="submit" class="small" data-testid="sign-out">
            {t(say`Sign out`)}
          </button>
        </form>
      )}
      <button type="button" class="small" onClick={() => (isHelpOpen.value = true)}>
        {t(say`Keys`)} <kbd>?</kbd>
      </button>
    </div>
  );
}
