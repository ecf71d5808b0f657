import { describe, expect, it } from "vitest";
import { checkTarget } from "../../src/cli/review/check-target.ts";
import { inWords } from "../support/words.ts";

describe("the handler that a check may send forged webhooks to", () => {
  it.each([
    "http://localhost:3000/webhooks/pix",
    "http://LOCALHOST./hook",
    "http://shop.localhost:3000",
    "http://127.0.0.1:3000",
    "http://127.8.8.8/hook",
    "https://[::1]:3000/hook",
  ])("is %s, on this machine", (url) => {
    expect(checkTarget(url, false)).toBe(url);
  });

  it.each([
    "https://shop.example/hook",
    "http://localhost.example/hook",
    "http://mylocalhost/hook",
    "http://10.0.0.1/hook",
    "http://[2001:db8::1]/hook",
  ])("is %s on another machine only if that is confirmed", (url) => {
    expect(() => checkTarget(url, false)).toThrow(
      `${new URL(url).host} is not this machine. The check sends it forged webhooks.`,
    );
    expect(checkTarget(url, true)).toBe(url);
  });

  it.each(["", "localhost:3000", "ftp://localhost/", "http://localhost:0/", "/hook"])(
    "is not %o, confirmed or not",
    (text) => {
      for (const isConfirmed of [false, true])
        expect(() => checkTarget(text, isConfirmed)).toThrow(
          expect.objectContaining({
            code: "USAGE",
            message: `Invalid address ${JSON.stringify(text)}.`,
            hint: inWords({ en: expect.stringContaining("http://localhost:3000/webhooks/pix") }),
          }),
        );
    },
  );
});
