import { describe, expect, it } from "vitest";
import { describeOutcome, Verdicts } from "../../../src/play/check-webhook/verdicts.ts";
import { inWords } from "../../support/words.ts";
import { say } from "../../../src/text/message.ts";

describe("what became of a webhook", () => {
  it.each([
    [{ status: 401, durationMs: 149 }, "401 after 0.1 s", "401 após 0,1 s"],
    [
      { status: 302, durationMs: 2000, location: "/login" },
      "302 (/login) after 2.0 s",
      "302 (/login) após 2,0 s",
    ],
    [
      { status: null, durationMs: 1, error: "ECONNRESET" },
      "no response: ECONNRESET",
      "sem resposta: ECONNRESET",
    ],
    [{ status: null, durationMs: 1 }, "no response: ", "sem resposta: "],
  ])("%o is in words: %s", (outcome, en, pt) => {
    expect(describeOutcome(outcome as never)).toEqual(inWords({ en, pt }));
  });
});

describe("the verdicts of a check", () => {
  it("hold everything that was seen of a rule", () => {
    const verdicts = new Verdicts();
    const evidence = (number: number) => ({
      atMs: number,
      text: say``,
      command: "",
    });
    const reason = say`No order was paid.`;
    verdicts.kept("duplicate_refused");
    verdicts.broken("duplicate_refused", evidence(1));
    verdicts.broken("duplicate_refused", evidence(2));
    verdicts.unseen("early_webhook_lost", reason);
    verdicts.kept("early_webhook_lost");
    expect(Object.fromEntries(verdicts.observed)).toEqual({
      duplicate_refused: { isKept: true, broken: [evidence(1), evidence(2)] },
      early_webhook_lost: { isKept: true, broken: [], unseen: reason },
    });
  });
});
