import { afterAll, beforeAll, expect, it } from "vitest";
import { renderQrSvg } from "../../../src/http/calls/qr-image.ts";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ controlToken: "a-token-of-the-test" });
});
afterAll(() => sandbox.close());

const open = (text: string, headers = { authorization: "Bearer a-token-of-the-test" }) =>
  sandbox.fetch(`/_sandbox/qr.svg?${String(new URLSearchParams({ text }))}`, { headers });

it("the QR code of a text is a picture for the inspector's page", async () => {
  const response = await open("https://shop.example/é");
  expect(response.headers.get("content-type")).toBe("image/svg+xml");
  expect(await response.text()).toBe(renderQrSvg("https://shop.example/é"));
});

it("no text, and one that no symbol has room for, are refused", async () => {
  for (const text of ["", "é".repeat(1166)]) expect((await open(text)).status).toBe(400);
  expect((await open("a".repeat(2331))).status).toBe(200);
});

it("is not drawn without the control token", async () => {
  expect((await open("text", { authorization: "Bearer wrong-token-of-it" })).status).toBe(401);
});
