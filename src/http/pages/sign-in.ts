import * as z from "zod";
import { type Answer, toRedirect, withHeaders } from "../calls/answer.ts";
import { html, toPage } from "../../platform/html.ts";
import type { Call } from "../calls/call.ts";
import { withoutCookie } from "../context/control-token.ts";
import type { HttpRefusal } from "../calls/refusals.ts";
import { readForm } from "../parse/body.ts";
import { pageLanguage } from "../calls/headers.ts";
import { definePage } from "../definitions/route.ts";
import { say } from "../../text/message.ts";
import { tagOf, translate } from "../../text/languages.ts";

/** Where a sign-in and a sign-out lead. */
const INSPECTOR = "/_sandbox/";

export const pages = [
  definePage({
    path: "/_sandbox/sign-in",
    method: "GET",
    isOpen: true,
    handle: async (call, { controlToken }) =>
      controlToken?.refusalOf(call) ? toSignInPage(call) : toRedirect(INSPECTOR),
  }),

  definePage({
    path: "/_sandbox/sign-in",
    method: "POST",
    isOpen: true,
    handle: async (call, { controlToken }) => {
      const token = (await readForm(call, form))?.token;
      if (!controlToken) return toRedirect(INSPECTOR);
      const refusal = controlToken.refusalOfToken(token ?? "", call);
      if (refusal) return toSignInPage(call, refusal, true);
      return withHeaders(toRedirect(INSPECTOR), { "set-cookie": controlToken.signIn(call) });
    },
  }),

  definePage({
    path: "/_sandbox/sign-out",
    method: "POST",
    isOpen: true,
    handle: async (call, { controlToken }) => {
      controlToken?.signOut(call);
      return withHeaders(toRedirect(INSPECTOR), { "set-cookie": withoutCookie(call) });
    },
  }),
];

const form = z.object({ token: z.string().trim().min(1) });

/** The page that asks for the control token. It works without a script, which only makes a shared link open its record. */
export function toSignInPage(call: Call, refusal?: HttpRefusal, isWrong = false): Answer {
  const language = pageLanguage(call);
  const text = (name: keyof typeof TEXTS): string => translate(TEXTS[name], language);
  const error = html`<p id="error" class="error" role="alert" data-testid="sign-in-error">
    ${refusal?.status === 429 ? translate(refusal.text, language) : text("wrong")}
  </p>`;
  const described = isWrong && html`aria-invalid="true" aria-describedby="error"`;
  const page = toPage({
    title: `${text("title")} · pix-sandbox`,
    lang: tagOf(language),
    style: STYLE,
    status: refusal?.status ?? 200,
    script: WITH_FRAGMENT,
    body: html`<main>
      <h1>pix-sandbox</h1>
      <p>${text("why")}</p>
      <form method="post" action="/_sandbox/sign-in">
        <label for="token">${text("label")}</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          data-testid="sign-in-token"
          ${described}
        />
        ${isWrong && error}
        <button type="submit" data-testid="sign-in-submit">${text("title")}</button>
      </form>
    </main>`,
  });
  return withHeaders(page, refusal?.headers ?? {});
}

/** A redirect keeps the fragment of the form's address. */
const WITH_FRAGMENT = `document.forms[0].action += location.hash;`;

const TEXTS = {
  title: say`Sign in`,
  why: say`This sandbox was started with a control token. Enter it to open this page.`,
  label: say`Control token`,
  wrong: say`This is not the control token of this sandbox.`,
};

const STYLE = `
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
main { max-width: 22rem; margin: 15vh auto 0; padding: 0 1rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.25rem; }
form { display: grid; gap: 0.5rem; margin-top: 1.5rem; }
label { font-weight: 600; }
input, button { font: inherit; padding: 0.5rem 0.75rem; border-radius: 6px; }
input { border: 1px solid var(--dim); color: inherit; background: var(--paper); }
button { border: 0; margin-top: 0.5rem; font-weight: 600; color: var(--on-accent); background: var(--accent); cursor: pointer; }
input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
.error { margin: 0; color: var(--red); }
`;
