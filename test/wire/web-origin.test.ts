import { describe, expect, it } from "vitest";
import { toOrigin } from "../../src/wire/web-origin.ts";

describe("an origin", () => {
  it.each([
    ["http://localhost:5173", "http://localhost:5173"],
    ["http://localhost:5173/", "http://localhost:5173"],
    ["HTTPS://Shop.Example", "https://shop.example"],
    ["https://shop.example:443", "https://shop.example"],
    ["http://[::1]:3000", "http://[::1]:3000"],
    ["capacitor://Localhost", "capacitor://localhost"],
    ["chrome-extension://abcdef", "chrome-extension://abcdef"],
  ])("is read as browsers send it: %s", (text, origin) => {
    expect(toOrigin(text)).toBe(origin);
  });

  it.each([
    "",
    "*",
    "null",
    "localhost:5173",
    "shop.example",
    "http://",
    "http://shop.example/path",
    "http://shop.example/?a",
    "http://shop.example#a",
    "http://user@shop.example",
    "https://*.shop.example",
    "http://shop.example:99999",
    "http://a http://b",
    "http://a,http://b:1/",
    "file:///",
  ])("is not %j", (text) => {
    expect(toOrigin(text)).toBeUndefined();
  });
});
