import { expect, it, vi } from "vitest";

// What only some calls need is not loaded by the others: loading it takes longer than all that they do.

const loaded: string[] = [];

vi.mock("../../../src/cli/terminal/draw-qr.ts", async (original) => {
  loaded.push("draw-qr");
  return await original();
});
vi.mock("../../../src/cli/terminal/open-browser.ts", async (original) => {
  loaded.push("open-browser");
  return await original();
});
vi.mock("../../../src/http/calls/qr-image.ts", async (original) => {
  loaded.push("qr-image");
  return await original();
});

it("loads the payin commands without what draws a QR code or opens a browser", async () => {
  await import("../../../src/cli/commands/payin.ts");
  expect(loaded).toEqual([]);
  await import("../../../src/cli/terminal/draw-qr.ts");
  expect(loaded).toEqual(["draw-qr"]);
});

it("loads the gateway's payin routes without what draws an image", async () => {
  loaded.length = 0;
  await import("../../../src/http/routes/gateway.ts");
  expect(loaded).toEqual([]);
  await import("../../../src/http/calls/qr-image.ts");
  expect(loaded).toEqual(["qr-image"]);
});
