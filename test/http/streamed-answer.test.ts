import { describe, expect, it } from "vitest";
import { toStreamedAnswer } from "../../src/http/envelope.ts";

describe("an answer that is written as it is read", () => {
  it.each([1, 499, 500, 501, 1000, 1234])(
    "holds what it would hold at once: %i items",
    async (count) => {
      const items = Array.from({ length: count }, (_, place) => place);
      const toWire = (place: number) => ({ at: `ção ${place}`, "]}": [place] });
      const answer = toStreamedAnswer({ now: "2026", mode: "frozen" }, "happened", items, toWire);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        "application/json",
      ]);
      const whole = { now: "2026", mode: "frozen", happened: items.map(toWire) };
      expect(await answer.text()).toBe(JSON.stringify(whole));
    },
  );
});
