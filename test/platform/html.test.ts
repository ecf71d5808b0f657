import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { html, toPage } from "../../src/platform/html.ts";
import { preferredLanguage } from "../../src/text/languages.ts";

describe("the html template tag", () => {
  it("escapes text, in content as in attributes", () => {
    const text = `<script>"a" & 'b'</script>`;

    expect(html`<p title="${text}">${text}</p>`.text).toBe(`<p title="${ESCAPED}">${ESCAPED}</p>`);
  });

  it("inserts HTML and lists of HTML as they are", () => {
    const items = ["a", "<b>"].map((name) => html`<i>${name}</i>`);

    expect(html`<p>${items}${html`<b>c</b>`}</p>`.text).toBe(
      "<p><i>a</i><i>&#60;b&#62;</i><b>c</b></p>",
    );
  });

  it("leaves out null and false, but not 0", () => {
    expect(html`<p>${null}${false}${0}</p>`.text).toBe("<p>0</p>");
  });

  it("does not interpret escapes that a value contains", () => {
    expect(html`<p>${String.raw`\n$&`}</p>`.text).toBe(String.raw`<p>\n$&#38;</p>`);
  });
});

describe("an HTML page", () => {
  const style = "p { margin: 0 }";
  const script = "document.title = 'ready'";

  it("states its language and escapes its title", () => {
    const { status, body } = toPage({ title: "<Pay>", lang: "pt-BR", style, body: html`` });

    expect(status).toBe(200);
    expect(body).toContain('<html lang="pt-BR">');
    expect(body).toContain("<title>&#60;Pay&#62;</title>");
  });

  it("allows its own style and script only, by their hashes", () => {
    const policies = [undefined, script].map((one) => {
      const page = { title: "Page", lang: "en", style, body: html`` } as const;
      const { headers, body } = toPage(one === undefined ? page : { ...page, script: one });
      const [, sheet = ""] = /<style>([^<]*)<\/style>/.exec(body) ?? [];
      expect(sheet.endsWith(style)).toBe(true);
      if (one === undefined) expect(body).not.toContain("<script");
      else expect(body).toContain(`<script>${one}</script>`);
      return headers["content-security-policy"].replace(hashOf(sheet), "HASH");
    });

    const rest =
      "img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
    expect(policies).toEqual([
      `default-src 'none'; script-src 'none'; style-src HASH; ${rest}`,
      `default-src 'none'; script-src ${hashOf(script)}; style-src HASH; ${rest}`,
    ]);
  });

  it("is neither stored, guessed at, nor named to other sites", () => {
    const { headers } = toPage({ title: "Page", lang: "en", style, body: html`` });

    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
    });
  });
});

describe("the language of a page", () => {
  it.each([
    [undefined, "en"],
    ["", "en"],
    ["pt-BR", "pt"],
    ["pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7", "pt"],
    ["en-US,en;q=0.9,pt;q=0.8", "en"],
    ["fr, pt;q=0.1", "pt"],
    ["fr-FR", "en"],
    ["ptx", "en"],
  ])("for accept-language %j is %s", (header, language) => {
    expect(preferredLanguage(header ?? "")).toBe(language);
  });
});

const ESCAPED = "&#60;script&#62;&#34;a&#34; &#38; &#39;b&#39;&#60;/script&#62;";

function hashOf(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
