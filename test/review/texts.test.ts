import { describe, expect, it } from "vitest";
import { toJunit } from "../../src/review/junit.ts";
import { toMarkdown } from "../../src/review/markdown.ts";
import type { WireFinding, WireReview } from "../../src/review/report.ts";

const finding = (
  id: WireFinding["id"],
  verdict: WireFinding["verdict"],
  count = 0,
): WireFinding => ({
  id,
  verdict,
  says: `About ${id}.`,
  evidence: Array.from({ length: count }, (_none, index) => ({
    at: `2026-11-21T12:00:0${index}.000Z`,
    says: `Seen\n in  evt_${index}.`,
    command: `npx pix-sandbox webhooks show evt_${index} \`now\``,
  })),
});
const review: WireReview = {
  rules: [
    finding("webhook_answer_slow", "warning", 1),
    finding("valid_signature_refused", "fail", 2),
    { ...finding("webhook_never_received", "fail", 1), implied_by: "valid_signature_refused" },
    finding("key_reused_with_other_body", "pass"),
    finding("duplicate_refused", "not_seen"),
    finding("last_second_dropped", "not_seen"),
  ],
  assumptions: [{ name: "webhook.success", choice: "2xx", question: "Which *statuses*?" }],
};

describe("the Markdown report", () => {
  it("is this comment, in English", () => {
    expect(toMarkdown(review, "en")).toBe(`## Integration review

2 failures, 1 warning, 1 passed, 2 not seen

### Failure: \`9 valid_signature_refused\` About valid\\_signature\\_refused.

What it costs: It never learns of the payment.

What to change: Verify id, timestamp and raw body, joined by dots, with the decoded secret.

- Seen in evt\\_0. \`\` npx pix-sandbox webhooks show evt_0 \`now\` \`\`
- Seen in evt\\_1. \`\` npx pix-sandbox webhooks show evt_1 \`now\` \`\`
- This implies: \`8 webhook_never_received\` About webhook\\_never\\_received.

### Warning: \`5 webhook_answer_slow\` About webhook\\_answer\\_slow.

What it costs: Gateways stop waiting, and send the webhook again.

What to change: Store the webhook, respond with 200, and do the work afterwards.

- Seen in evt\\_0. \`\` npx pix-sandbox webhooks show evt_0 \`now\` \`\`

<details><summary>Passed (1)</summary>

- \`3 key_reused_with_other_body\` About key\\_reused\\_with\\_other\\_body.

</details>

<details><summary>Not seen (2)</summary>

- \`12 duplicate_refused\` About duplicate\\_refused.
- \`24 last_second_dropped\` About last\\_second\\_dropped.

</details>

<details><summary>Questions for the provider (1)</summary>

- \`webhook.success=2xx\`: Which \\*statuses\\*?

</details>
`);
  });

  it("has no folded part that is empty", () => {
    const none = { rules: [], assumptions: [] };
    expect(toMarkdown(none, "en")).toBe(
      "## Integration review\n\n0 failures, 0 warnings, 0 passed, 0 not seen\n",
    );
  });
});

describe("the JUnit file", () => {
  it("is this document", () => {
    expect(toJunit(review)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="6" failures="2" errors="0" skipped="2">
<testsuite name="pix-sandbox" tests="6" failures="2" errors="0" skipped="2">
<testcase classname="pix-sandbox" name="5 webhook_answer_slow"><system-out>About webhook_answer_slow.&#10;2026-11-21T12:00:00.000Z Seen&#10; in  evt_0.&#10;  npx pix-sandbox webhooks show evt_0 \`now\`</system-out></testcase>
<testcase classname="pix-sandbox" name="9 valid_signature_refused"><failure message="About valid_signature_refused.">About valid_signature_refused.&#10;2026-11-21T12:00:00.000Z Seen&#10; in  evt_0.&#10;  npx pix-sandbox webhooks show evt_0 \`now\`&#10;2026-11-21T12:00:01.000Z Seen&#10; in  evt_1.&#10;  npx pix-sandbox webhooks show evt_1 \`now\`</failure></testcase>
<testcase classname="pix-sandbox" name="8 webhook_never_received"><failure message="About webhook_never_received.">About webhook_never_received.&#10;2026-11-21T12:00:00.000Z Seen&#10; in  evt_0.&#10;  npx pix-sandbox webhooks show evt_0 \`now\`</failure></testcase>
<testcase classname="pix-sandbox" name="3 key_reused_with_other_body"/>
<testcase classname="pix-sandbox" name="12 duplicate_refused"><skipped message="About duplicate_refused."/></testcase>
<testcase classname="pix-sandbox" name="24 last_second_dropped"><skipped message="About last_second_dropped."/></testcase>
</testsuite>
</testsuites>
`);
  });
});
