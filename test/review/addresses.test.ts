import { describe, expect, it } from "vitest";
import type { Payin, Payout } from "../../src/core/records/transaction.ts";
import { addresses } from "../../src/review/addresses.ts";
import type { Evidence } from "../../src/review/finding.ts";
import type { SeenCreation } from "../../src/review/observation.ts";
import { payin, payout, START_MS } from "../support/core.ts";
import { english } from "../../src/text/languages.ts";

const CPF = "52998224725";

/** What is seen of the addresses of records. */
function judge(...records: (Partial<Payin> | Partial<Payout>)[]) {
  const evidence: Evidence[] = [];
  let verdict = "not_seen";
  const watch = addresses({
    kept: () => (verdict = "pass"),
    broken: (_integration: string, _rule: string, _id: string, show: () => Evidence) => {
      verdict = "fail";
      evidence.push(show());
    },
  } as never);
  for (const members of records)
    watch.creation?.(
      { noun: "receiver_cpf" in members ? "payout" : "payin" } as SeenCreation,
      "receiver_cpf" in members
        ? payout(members)
        : payin({ buyer_cpf: CPF, ...(members as Partial<Payin>) }),
    );
  return { verdict, evidence };
}

describe("a webhook address", () => {
  it.each([CPF, "529.982.247-25"])("is none, but a description is as public: %s", (cpf) => {
    const { evidence } = judge({
      webhook_url: "https://shop.example/hook",
      description: `to ${cpf}`,
    });
    expect(evidence.map(({ text }) => english(text))).toEqual([
      expect.stringMatching(/^The description of payin .* contains the person's CPF\.$/),
    ]);
  });

  it.each(["王 小明", "Ли Ян", "A B"])("has nothing of the name %s by chance", (buyer_name) => {
    expect(judge({ webhook_url: "https://shop.example/hook?ab=1", buyer_name }).verdict).toBe(
      "pass",
    );
  });

  it.each([
    ["the buyer's CPF with its punctuation", "https://shop.example/hook/529.982.247-25"],
    ["the buyer's CPF in base64", `https://shop.example/hook/${btoa(`cpf:${CPF}`)}`],
    ["the buyer's name", "https://shop.example/hook?of=jos%C3%A9-da-silva"],
    ["the buyer's CPF", `https://shop.example/hook?cpf=${CPF}`],
    ["the buyer's CPF between letters", `https://shop.example/cpf${CPF}x`],
    ["the buyer's CPF at its end", `https://shop.example/${CPF}`],
    ["the buyer's CPF behind a longer number with its digits", `https://a.example/0${CPF}/${CPF}`],
    ["a percent-encoded CPF", "https://shop.example/%35%32998224725"],
    ["a percent-encoded e-mail address", "https://shop.example/hook?of=BUYER%40localhost"],
    ["the buyer's own e-mail address", "https://shop.example/of/BUYER@localhost"],
  ])("with %s has personal data", (_title, webhook_url) => {
    const buyer = { buyer_email: "buyer@localhost", buyer_name: "José da Silva" };
    expect(judge({ webhook_url, ...buyer }).verdict).toBe("fail");
  });

  it.each([
    ["nothing", "https://shop.example/hook"],
    ["another person's CPF, such as the shop's", "https://shop.example/hook?of=111.444.777-35"],
    ["the shop's own e-mail address", "https://shop.example/hook?shop=ana@example.com"],
    ["a part of the buyer's name", "https://shop.example/silva"],
    ["11 digits that are nobody's CPF here", "https://shop.example/orders/11144477735"],
    ["a longer number", `https://shop.example/orders/1${CPF}`],
    ["a longer number that begins so", `https://shop.example/orders/${CPF}0`],
    ["digits around the punctuation", "https://shop.example/1529.982.247-250"],
    ["credentials before the host", "https://user:pass@shop.example/hook"],
    ["a version", "https://shop.example/api@1.2/hook"],
    ["an escape that is none", "https://shop.example/%zz"],
  ])("with %s has none", (_title, webhook_url) => {
    expect(judge({ webhook_url }).verdict).toBe("pass");
  });

  it("of the sandbox's own sink is not the merchant's", () => {
    const webhook_url = `http://127.0.0.1:7490/_sandbox/sink/${CPF}`;
    expect(judge({ webhook_url }).verdict).toBe("not_seen");
  });

  it("of a payout has its receiver's data", () => {
    const members = { receiver_cpf: CPF, receiver_email: "jose@localhost" };
    const verdictOf = (path: string) =>
      judge({ ...members, webhook_url: `https://shop.example/${path}` }).verdict;
    expect([verdictOf(CPF), verdictOf("jose@localhost"), verdictOf("hook")]).toEqual([
      "fail",
      "fail",
      "pass",
    ]);
  });

  it("is judged for each record, with what was found", () => {
    const webhook_url = `https://shop.example/${CPF}`;
    const finding = judge(
      { id: "1", webhook_url },
      { id: "2", webhook_url, buyer_cpf: "11144477735" },
      { id: "3", webhook_url: "https://shop.example/?of=ana@a.br", buyer_email: "ana@a.br" },
      { id: "4", webhook_url },
    );
    const said = finding.evidence.map((one) => ({ ...one, text: english(one.text) }));
    expect(said).toEqual(
      [
        ["1", "the person's CPF"],
        ["3", "the person's e-mail address"],
        ["4", "the person's CPF"],
      ].map(([id, datum]) => ({
        atMs: START_MS,
        text: `The webhook_url of payin ${id} contains ${datum}.`,
        transactionId: id,
        command: `pix-sandbox payin show ${id}`,
      })),
    );
  });
});
