import { describe, expect, it } from "vitest";
import { toJunit } from "../../src/review/junit.ts";
import { toMarkdown } from "../../src/review/markdown.ts";
import type { WireFinding, WireReview } from "../../src/review/report.ts";

const HOSTILE =
  "a<b>&\"'`x``y` [l](http://e.example) \u0000\u001b[31m\u0007 \ud800 \uffff ]]> # @all |\n# h\r\n\u2028<!-- -->";

function review(says: string): WireReview {
  const finding = (id: WireFinding["id"], verdict: WireFinding["verdict"]): WireFinding => ({
    id,
    verdict,
    says,
    evidence:
      verdict === "fail" || verdict === "warning"
        ? [{ at: "2026-11-21T12:00:00.000Z", says, command: says }]
        : [],
  });
  return {
    rules: [
      finding("valid_signature_refused", "fail"),
      { ...finding("webhook_never_received", "fail"), implied_by: "valid_signature_refused" },
      finding("webhook_answer_slow", "warning"),
      finding("key_reused_with_other_body", "pass"),
      finding("duplicate_refused", "not_seen"),
    ],
    assumptions: [{ name: "webhook.success", choice: says, question: says }],
  };
}

describe("the JUnit file", () => {
  it("is well-formed whatever the texts contain", () => {
    const xml = toJunit(review(HOSTILE));
    // Only characters that XML 1.0 allows.
    expect(xml).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
    expect(elementsOf(xml)).toEqual({ open: [], isProper: true });
  });

  it("has a case for each rule, with its verdict and its evidence", () => {
    const xml = toJunit(review("About it."));
    const suite = 'tests="5" failures="2" errors="0" skipped="1"';
    expect(xml).toContain(`<testsuites ${suite}>\n<testsuite name="pix-sandbox" ${suite}>\n`);
    const evidence = "About it.&#10;2026-11-21T12:00:00.000Z About it.&#10;  About it.";
    for (const [name, content] of [
      ["9 valid_signature_refused", `<failure message="About it.">${evidence}</failure>`],
      ["5 webhook_answer_slow", `<system-out>${evidence}</system-out>`],
      ["12 duplicate_refused", '<skipped message="About it."/>'],
    ])
      expect(xml).toContain(`name="${name}">${content}</testcase>\n`);
    expect(xml).toContain('name="3 key_reused_with_other_body"/>\n');
  });
});

describe("the Markdown report", () => {
  it("shows each cause with its cost, its remedy, its evidence and what it implies", () => {
    expect(toMarkdown(review("About it."), "en")).toContain(`## Integration review

2 failures, 1 warning, 1 passed, 1 not seen

### Failure: \`9 valid_signature_refused\` About it.

What it costs: It never learns of the payment.

What to change: Verify id, timestamp and raw body, joined by dots, with the decoded secret.

- About it. \`About it.\`
- This implies: \`8 webhook_never_received\` About it.

### Warning: \`5 webhook_answer_slow\` About it.
`);
  });

  it("contains no markup from outside", () => {
    const text = toMarkdown(review(HOSTILE), "en");
    const outside = text.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "").replace(/\\./g, "");
    expect(outside.replace(/<\/?(details|summary)>/g, "")).not.toMatch(/[<>[\]*_@|`]/);
    expect(text.match(/^#+ /gm)).toHaveLength(3);
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u2028]/);
  });
});

/** Whether start and end tags match, each attribute is quoted, and no text contains markup. */
function elementsOf(xml: string) {
  const open: string[] = [];
  let isProper = true;
  const rest = xml
    .replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "")
    .replace(
      /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g,
      (_tag, end, name, attributes, empty) => {
        isProper &&= !/&(?!(amp|lt|gt|quot|#10);)/.test(attributes);
        if (end) isProper &&= open.pop() === name;
        else if (!empty) open.push(name);
        return "";
      },
    );
  return { open, isProper: isProper && !/[<>]|&(?!(amp|lt|gt|quot|#10);)/.test(rest) };
}
