import { expect, it } from "vitest";
import { parseUrl } from "../../src/delivery/parse-url.ts";

it("parses each URL, also after another one or an invalid one", () => {
  const [one, other] = ["http://127.0.0.1:9/hook", "https://example.com/"];
  for (const text of [one, one, other, one]) expect(parseUrl(text).href).toBe(text);
  expect(() => parseUrl("no URL")).toThrow("Invalid URL");
  expect(parseUrl(one).port).toBe("9");
});
