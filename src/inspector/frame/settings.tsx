import { toSafeLine } from "../../text/safe-text.ts";
import { isHelpOpen } from "../state/keys.ts";
import { chooseScope, scope } from "../state/control.ts";
import { chooseLanguage, language, t } from "../state/language.ts";
import { reload } from "../state/live.ts";
import { about, integrations, loadAssumptions, loadReview, loadRules } from "../state/sandbox.ts";

/** What the whole page depends on: the integration and the language. */
export function Settings() {
  const chosen = scope.value;
  const known = integrations.value;
  return (
    <div class="settings">
      <label>
        <span class="label">{t({ en: "Integration", pt: "Integração" })}</span>
        <select
          data-testid="integration"
          value={chosen ?? ""}
          onChange={(event) => {
            chooseScope(event.currentTarget.value || null);
            reload();
          }}
        >
          <option value="">{t({ en: "all", pt: "todas" })}</option>
          {(chosen === null || known.includes(chosen) ? known : [chosen, ...known]).map((one) => (
            <option key={one} value={one}>
              {toSafeLine(one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="label">{t({ en: "Language", pt: "Idioma" })}</span>
        <select
          data-testid="language"
          value={language.value}
          onChange={(event) => {
            chooseLanguage(event.currentTarget.value === "pt" ? "pt" : "en");
            // Their texts come from the sandbox; one that does not respond is shown as lost already.
            for (const load of [loadAssumptions, loadReview, loadRules])
              load().catch(() => undefined);
          }}
        >
          <option value="en" lang="en">
            English
          </option>
          <option value="pt" lang="pt-BR">
            Português
          </option>
        </select>
      </label>
      {about.value?.protected && (
        <form method="post" action="/_sandbox/sign-out">
          <button type="submit" class="small" data-testid="sign-out">
            {t({ en: "Sign out", pt: "Sair" })}
          </button>
        </form>
      )}
      <button type="button" class="small" onClick={() => (isHelpOpen.value = true)}>
        {t({ en: "Keys", pt: "Teclas" })} <kbd>?</kbd>
      </button>
    </div>
  );
}
