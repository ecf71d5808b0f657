import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import { LANGUAGES } from "../../../src/cli/terminal/language.ts";
import { runMain } from "../../support/main.ts";
import {
  type Answer,
  type Answering,
  type Received,
  startMerchant,
  verified,
} from "../../support/merchant.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: "42" });
});
afterAll(() => sandbox.close());

const correct = (received: Received): number => {
  try {
    verified(received, sandbox.secret);
    return 200;
  } catch {
    return 401;
  }
};

const HANDLERS: readonly (readonly [string, Answer | Answering])[] = [
  ["that is correct", correct],
  ["that accepts everything", 200],
  ["that refuses everything", 401],
  ["that knows no transaction", 404],
  ["that redirects", { status: 302, headers: { location: "/elsewhere" } }],
];

describe("what check-webhook prints", { timeout: 120_000 }, () => {
  it.each(LANGUAGES)("is the same in every run, in %s", async (lang) => {
    const pages: string[] = [];
    for (const [title, answer] of HANDLERS) {
      await using merchant = await startMerchant({ answer });
      const args = ["check-webhook", merchant.url, "--url", sandbox.url, "--lang", lang];
      const { code, stdout, stderr } = await runMain(args);
      const printed = `# a handler ${title}\n${stdout}${stderr && `--- stderr\n${stderr}`}--- ${code}\n`;
      pages.push(printed.replaceAll(merchant.url, "$HANDLER").replaceAll(sandbox.url, "$URL"));
    }
    // `npx vitest run test/play/check-webhook --update` writes a text that is meant to change.
    await expect(withoutReal(pages.join("\n"))).toMatchFileSnapshot(`printed.${lang}.txt`);
  });
});

/** Replaces what differs from run to run: times, ids and signatures. */
function withoutReal(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b\d+[.,]\d+ s/g, "N s")
    .replaceAll(/"qr_code":"[^"]*"/g, '"qr_code":"BR_CODE"')
    .replaceAll(/evt_[0-9a-f]{32}/g, "evt_ID")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/\b[0-9a-f]{32}\b/g, "PIX_ID")
    .replaceAll(/\bE\d{20}[0-9a-f]{11}\b/g, "E2E_ID")
    .replaceAll(/webhook-timestamp: \d+/g, "webhook-timestamp: N")
    .replaceAll(/v1,[\w+/]+=*/g, "v1,SIGNATURE");
}
