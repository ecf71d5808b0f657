import { describe, expect, it } from "vitest";
import { createFolder, runCli, startProcess, startServe } from "../support/cli.ts";
import { fileURLToPath } from "node:url";
import { callsTo, startMerchant } from "../support/merchant.ts";

const BIN = fileURLToPath(new URL("../../bin/pix-sandbox.js", import.meta.url));

describe("webhooks tail", () => {
  it("ends when nobody reads it any more", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startServe();
    const command = `"${process.execPath}" "${BIN}" webhooks tail --url ${sandbox.url} | head -n 1`;
    await using shell = startProcess("sh", ["-c", command]);
    await shell.lines("stderr", 1, (line) => line.startsWith("Connected"));

    const calls = callsTo(sandbox.url);
    for (let index = 0; index < 3; index++) {
      const { body } = await calls.createPayin({ webhook_url: merchant.url });
      await calls.simulate("payin", body.id);
      await merchant.waitFor(index + 1);
    }
    expect(await shell.ended).toMatchObject({ code: 0 });
  });
});

describe("serve", () => {
  it("does not go on where it cannot write the file that it is asked for", async () => {
    await using folder = await createFolder();
    const args = [
      "serve",
      "--memory",
      "--port",
      "0",
      "--ready-file",
      folder.at("no/such/folder.json"),
    ];
    const { code, stderr } = await runCli(args);

    expect(code).toBe(2);
    expect(stderr).toContain("--ready-file");
  });

  it.each([
    "http://[bad",
    "ftp://pix.example",
    "https://pix.example/?a=1",
    `https://${"y".repeat(60)}.example`,
  ])("refuses the public address %s in plain words", async (url) => {
    const { code, stderr } = await runCli([
      "serve",
      "--memory",
      "--port",
      "0",
      "--public-url",
      url,
    ]);

    expect(code).toBe(2);
    expect(stderr).toContain("--public-url");
    expect(stderr).not.toContain("    at ");
  });

  it("leaves the state as it was where the port is taken", async () => {
    await using folder = await createFolder();
    await using other = await startServe();
    const { code } = await runCli([
      "serve",
      "--port",
      String(other.ready.port),
      "--state",
      folder.at("state.json"),
    ]);

    expect(code).toBe(7);
    const { existsSync } = await import("node:fs");
    expect(existsSync(folder.at("state.json"))).toBe(false);
  });
});
