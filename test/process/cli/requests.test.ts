import { describe, expect, it } from "vitest";
import { runMain, runMainJson, startMain, serveMain } from "../../support/main.ts";
import { startCli, startServe } from "../../support/cli.ts";
import { callsTo } from "../../support/calls.ts";
import { startProxy } from "../../support/proxy.ts";

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

  it("omits nothing with --follow, however many exist before", async () => {
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    for (let count = 0; count < 250; count++) await calls.createPayin(CHARGE);
    await using following = startMain(["requests", "--follow", "--json", "--url", sandbox.url]);
    await following.lines("stdout", 2);
    await calls.createPayin(CHARGE);
    const lines = await following.lines("stdout", 251);
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
      Array.from({ length: 251 }, (_, index) => `req_${index + 1}`),
    );
  });

  it("continues with new ones with --follow, each once", async () => {
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    await calls.createPayin(CHARGE);
    await using following = startCli(["requests", "--follow", "--json", "--url", sandbox.url]);
    await following.lines("stdout", 1);
    await calls.createPayin(CHARGE);
    const lines = await following.lines("stdout", 2);
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual([
      "req_1",
      "req_2",
    ]);
    expect(await following.stop("SIGINT")).toMatchObject({ code: 0 });
  });

  it("connects again under --follow when the sandbox is started again, killed or stopped", async () => {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await using first = await startServe();
      await callsTo(first.url).createPayin({ ...CHARGE, description: "before" });
      await callsTo(first.url).createPayin({ ...CHARGE, description: "before" });
      await using following = startMain(["requests", "--follow", "--json", "--url", first.url]);
      await following.lines("stdout", 2);
      await first.stop(signal);
      await following.lines("stderr", 1, (line) => line.startsWith("The sandbox closed"));

      await using second = await serveMain(["--memory", "--port", String(first.ready.port)]);
      await callsTo(second.url).createPayin({ ...CHARGE, description: "after" });
      await following.lines("stderr", 1, (line) => line === "Reconnected.");
      await callsTo(second.url).createPayin({ ...CHARGE, description: "later" });
      expect((await following.lines("stdout", 4)).map(toShown)).toEqual([
        ["req_1", "before"],
        ["req_2", "before"],
        ["req_1", "after"],
        ["req_2", "later"],
      ]);
      expect(await following.stop("SIGINT")).toMatchObject({ code: 0 });
    }
  });

  it("repeats nothing under --follow when only the connection broke", async () => {
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    await using proxy = await startProxy(sandbox.ready.port);
    await calls.createPayin({ ...CHARGE, description: "before" });
    await using following = startMain(["requests", "--follow", "--json", "--url", proxy.url]);
    await following.lines("stdout", 1);
    proxy.cut();
    await calls.createPayin({ ...CHARGE, description: "meanwhile" });
    await following.lines("stderr", 1, (line) => line === "Reconnected.");
    await calls.createPayin({ ...CHARGE, description: "after" });
    expect((await following.lines("stdout", 3)).map(toShown)).toEqual([
      ["req_1", "before"],
      ["req_2", "meanwhile"],
      ["req_3", "after"],
    ]);
  });

  it("ends with the sandbox under --follow --exit-with-sandbox", async () => {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await using sandbox = await startServe();
      const command = ["requests", "--follow", "--exit-with-sandbox", "--url", sandbox.url];
      await using following = startMain(command);
      await following.lines("stderr", 1, (line) => line.startsWith("Connected"));
      await sandbox.stop(signal);
      expect(await following.ended).toMatchObject({ code: 0, signal: null, stdout: "" });
    }
  });
});

/** A request's id and the description in its body. */
function toShown(line: string): readonly unknown[] {
  const { id, body } = JSON.parse(line) as { id: string; body: string };
  return [id, (JSON.parse(body) as { description: string }).description];
}
