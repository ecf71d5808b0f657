import { describe, expect, it } from "vitest";
import { runMain, runMainJson, serveMain } from "../../support/main.ts";
import { callsTo } from "../../support/calls.ts";

const CHARGE = { webhook_url: "http://127.0.0.1:9/hook" };

describe("pix-sandbox requests", { timeout: 60_000 }, () => {
  it("prints the gateway's requests and responses", async () => {
    await using sandbox = await serveMain();
    expect(await runMain(["requests", "--url", sandbox.url])).toMatchObject({
      code: 0,
      stdout: "No requests.\n",
    });
    await callsTo(sandbox.url, "secret-token").createPayin({ ...CHARGE, description: "\u001b[2J" });
    const { code, stdout } = await runMain(["requests", "--url", sandbox.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^req_1 .*Z +POST +\/v1\/payins +200 +[\d.]+ +[-0-9a-f]{36} +\{"/m);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toContain("secret-token");
  });

  it("prints the route's answer with --json", async () => {
    await using sandbox = await serveMain();
    await callsTo(sandbox.url).createPayin(CHARGE);
    const answer = await fetch(`${sandbox.url}/_sandbox/requests?order=desc`);
    expect(await runMainJson(["requests", "--url", sandbox.url])).toEqual(await answer.json());
  });
});
