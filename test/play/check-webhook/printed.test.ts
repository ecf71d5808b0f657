import { afterAll, beforeAll, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import { runMain } from "../../support/main.ts";
import { startMerchant, verified } from "../../support/merchant.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: "42" });
});
afterAll(() => sandbox.close());

it.each([
  [
    "en",
    [
      /^RULE +SENT +EXPECTED +SEEN$/m,
      /^17 +half of the signature +not 2xx +401 after [\d.]+ s$/m,
      /^Integration review: 0 failures, 0 warnings, \d+ passed, \d+ not seen$/m,
      /^ {2}12 duplicate_refused: It accepted a duplicate\.$/m,
    ],
  ],
  [
    "pt-BR",
    [
      /^REGRA +ENVIADO +ESPERADO +VISTO$/m,
      /^17 +metade da assinatura +não 2xx +401 após [\d,]+ s$/m,
      /^Avaliação da integração: 0 reprovadas, 0 avisos, \d+ aprovadas, \d+ não verificadas$/m,
      /^ {2}12 duplicate_refused: Aceitou uma duplicata\.$/m,
    ],
  ],
])("check-webhook says in %s what a correct handler did", async (lang, lines) => {
  await using merchant = await startMerchant({
    answer: (received) => {
      try {
        verified(received, sandbox.secret);
        return 200;
      } catch {
        return 401;
      }
    },
  });
  const args = ["check-webhook", merchant.url, "--url", sandbox.url, "--lang", lang];
  const { code, stdout } = await runMain(args);
  expect({ code, stdout }).toMatchObject({ code: 0 });
  for (const line of lines) expect(stdout).toMatch(line);
});
