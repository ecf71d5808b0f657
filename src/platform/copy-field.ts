import { type Html, html } from "./html.ts";

/**
 * A charge's code, with a button that copies it. The page's script includes {@link COPY}.
 * @param words in the page's language
 */
export function toCopyField(
  code: string,
  words: { readonly label: string; readonly copy: string; readonly copied: string },
): Html {
  return html`<label for="code">${words.label}</label>
    <textarea id="code" rows="6" readonly spellcheck="false" data-testid="pay-code">
${code}</textarea>
    <button type="button" hidden data-copied="${words.copied}" data-testid="pay-copy">
      ${words.copy}
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
