import { describe, expect, it } from "vitest";
import { BrCodeFactory } from "../../../src/core/records/br-code.ts";

const PIX_ID = "0123456789abcdef0123456789abcdef";
const settings = { locationBase: "pix-sandbox.example", city: "São Paulo" };

describe("a factory of BR Codes", () => {
  it("writes the charge's location, the merchant's name and the city", () => {
    const code = new BrCodeFactory(settings).write(PIX_ID, "Loja da Maria");
    expect(code).toContain(`pix-sandbox.example/qr/v2/${PIX_ID}`);
    expect(code).toMatch(/5913Loja da Maria/i);
    expect(code).toMatch(/6009Sao Paulo/i);
  });

  it("has a default name and city if none can be written", () => {
    const code = new BrCodeFactory({ ...settings, city: "" }).write(PIX_ID, "");
    expect(code).toContain("5911PIX SANDBOX");
    expect(code).toContain("6009SAO PAULO");
  });

  it("shortens a name to 25 characters and a city to 15", () => {
    const city = "Vila Bela da Santíssima Trindade";
    const code = new BrCodeFactory({ ...settings, city }).write(PIX_ID, "x".repeat(30));
    expect(code).toMatch(/5925x{25}(?!x)/i);
    expect(code).toMatch(/6015Vila Bela da Sa/i);
  });

  it("writes the same code for the same charge and merchant, after any number of others", () => {
    const factory = new BrCodeFactory(settings);
    const first = factory.write(PIX_ID, "Loja da Maria");
    const others = Array.from({ length: 250 }, (_, index) =>
      factory.write(PIX_ID, `Loja ${index}`),
    );
    expect(new Set([first, ...others]).size).toBe(251);
    expect(factory.write(PIX_ID, "Loja da Maria")).toBe(first);
    expect(factory.write("f".repeat(32), "Loja da Maria")).not.toBe(first);
  });
});
