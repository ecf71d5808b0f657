import { type Html, html } from "../../platform/html.ts";
import { type Language, translate } from "../../text/languages.ts";
import { type Message, say } from "../../text/message.ts";

/** A charge's code, with a button that copies it. The page's script includes {@link COPY}. */
export function toCopyField(code: string, language: Language): Html {
  return html`<label for="code">${translate(TEXTS.code, language)}</label>
    <textarea id="code" rows="6" readonly spellcheck="false" data-testid="pay-code">
${code}</textarea>
    <button
      type="button"
      hidden
      data-copied="${translate(TEXTS.copied, language)}"
      data-testid="pay-copy"
    >
      ${translate(TEXTS.copy, language)}
    </button>`;
}

/** Copies the code. The clipboard's own interface needs HTTPS, which a phone in the network does not have. */
export const COPY = `
const copy = document.querySelector("[data-copied]");
copy.hidden = false;
copy.onclick = () => {
  document.querySelector("#code").select();
  document.execCommand("copy");
  copy.textContent = copy.dataset.copied;
};
`;

const TEXTS = {
  code: say`Pix copy and paste`,
  copy: say`Copy the code`,
  copied: say`Copied`,
} satisfies Record<string, Message>;
