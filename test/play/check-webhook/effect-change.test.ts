import { describe, expect, it } from "vitest";
import { changeOf, looksPaid } from "../../../src/play/check-webhook/effect-change.ts";

/** A charge as the gateway returns it. The end of its code is 4 random characters. */
function record(end: string) {
  const pix_id = `66a485f6b15919949ae9d240f307${end}`;
  return {
    id: crypto.randomUUID(),
    pix_id,
    qr_code: `00020126800014br.gov/qr/v2/${pix_id}6304${end}`,
  };
}

/** What a shop says about an order, with all that differs between two orders. */
function effect(
  { id, qr_code }: ReturnType<typeof record>,
  state: string,
  endToEnd: string | null,
) {
  return JSON.stringify({
    id,
    qr_code,
    state,
    endToEnd,
    key: crypto.randomUUID(),
    until: Math.random(),
  });
}

const ENDS = ["BCFD", "1234", "1A2B", "A1B2", "12AB"];
const E2E = "E123456782026112400204";

describe("the effect of an order", () => {
  const example = record("BCFD");
  const paidOnce = {
    record: example,
    before: effect(example, "waiting", null),
    after: effect(example, "paid", `${E2E}64c3188f9d`),
  };

  it.each(ENDS)("is told from that of a paid one, whatever its random parts are: %s", (end) => {
    const other = record(end);
    expect(looksPaid(effect(other, "waiting", null), other, paidOnce)).toBe(false);
    expect(looksPaid(effect(other, "paid", `${E2E}6${end}88f9d`), other, paidOnce)).toBe(true);
  });

  it.each(ENDS)("is told also as PHP writes it: %s", (end) => {
    const other = record(end);
    const php = (text: string) => text.replaceAll("/", String.raw`\/`);
    expect(looksPaid(php(effect(other, "waiting", null)), other, paidOnce)).toBe(false);
  });

  it("keeps an amount", () => {
    expect(changeOf("credited 10.50", "credited 21", {}).all).toBe("+10.5");
  });
});
