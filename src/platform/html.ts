import { createHash } from "node:crypto";

/** HTML text. Only {@link html} creates it, so that every value in it is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value inside of {@link html}: text is escaped, HTML is inserted as it is, `null` and `false` are left out. */
export type HtmlValue = string | number | Html | null | false | readonly Html[];

/** A template tag for HTML: escapes each value, in text as in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(toHtmlText)));
}

function toHtmlText(value: HtmlValue): string {
  if (value === null || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface Page {
  readonly title: string;
  /** The language's tag (BCP 47). */
  readonly lang: string;
  /** The content of `<style>` after the colours: a constant, since nothing escapes it. */
  readonly style: string;
  /** The content of a `<script>` at the end of the body: a constant too. Default: the page has no script. */
  readonly script?: string;
  /** What the script may call. Default: nothing. */
  readonly connect?: "'self'";
  readonly body: Html;
  /** Default 200. */
  readonly status?: number;
}

/** The colours of every page, those of the inspector: test/inspector/colours.test.ts compares them. */
const COLOURS = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fafaf9, #111214);
  --paper: light-dark(#ffffff, #191a1d);
  --line: light-dark(#e7e7e4, #2c2e33);
  --text: light-dark(#1a1c1f, #ededee);
  --dim: light-dark(#5f6368, #a0a4ab);
  --accent: light-dark(#0b7163, #4fcbb3);
  --on-accent: light-dark(#ffffff, #03211b);
  --red: light-dark(#b3261e, #ff8d80);
  --amber: light-dark(#805000, #eab757);
  --amber-soft: light-dark(#fff2da, #392a10);
  --blue: light-dark(#1a5cb4, #86b6ff);
}
`;

/** An HTML page. It loads nothing and runs no code but its own style and script. */
export function toPage({ title, lang, style, script, connect, body, status = 200 }: Page) {
  const sheet = COLOURS + style;
  // The hashes allow exactly these contents: without additional blanks.
  const page = html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${new Html(`<style>${sheet}</style>`)}
      </head>
      <body>
        ${body} ${script !== undefined && new Html(`<script>${script}</script>`)}
      </body>
    </html> `;
  const allowed = script === undefined ? "'none'" : hashOf(script);
  return { status, headers: pageHeaders(hashOf(sheet), allowed, connect), body: page.text };
}

/**
 * The headers of a page: it loads and calls only these sources, is part of no other page, and stays in no cache.
 * @param connect what it may call. Default: nothing
 */
export function pageHeaders(style: string, script: string, connect?: string) {
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${script}`,
      `style-src ${style}`,
      ...(connect === undefined ? [] : [`connect-src ${connect}`]),
      "img-src 'self' data:",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join("; "),
    // With no-referrer, browsers send the forms of the page with the origin "null".
    "referrer-policy": "same-origin",
  };
}

function hashOf(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}

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
