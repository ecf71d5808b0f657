import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { LogStream } from "../../../src/cli/terminal/log-stream.ts";
import { callsTo } from "../../support/calls.ts";
import { serveMain, startMain } from "../../support/main.ts";
import { startMerchant } from "../../support/merchant.ts";

const SERVE = ["serve", "--memory", "--port", "0", "--assume", "webhook.retries=none"];

/** A sandbox with a log for people, and its calls. */
async function startLogged(...args: string[]) {
  const sandbox = startMain([...SERVE, ...args]);
  const [api = ""] = await sandbox.lines("stderr", 1, (line) => line.includes("http://"));
  await sandbox.lines("stderr", 1, (line) => /^(Ready|Pronto)/.test(line));
  return { sandbox, calls: callsTo(/http:\S+(?=\/v1)/.exec(api)?.[0] ?? "") };
}

describe("serve's log", () => {
  it("has a line for each gateway call, and for each webhook when it leaves and when it is answered", async () => {
    await using merchant = await startMerchant();
    const { sandbox, calls } = await startLogged();
    await using _ = sandbox;
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);

    const [answered = ""] = await sandbox.lines("stderr", 1, (line) => line.includes("<--"));
    const [created = "", simulated = ""] = await sandbox.lines("stderr", 2, (line) =>
      line.includes("POST"),
    );
    const [sent = ""] = await sandbox.lines("stderr", 1, (line) => line.includes("-->"));
    const time = String.raw`^\d\d:\d\d:\d\d\.\d{3}Z  `;
    expect(created).toMatch(new RegExp(`${time}POST /v1/payins  +200  +[\\d.]+ ms  .*${body.id}$`));
    expect(simulated).toMatch(
      new RegExp(`${time}POST /v1/payins/simulations  +200  +[\\d.]+ ms  .*${body.id}$`),
    );
    expect(sent).toMatch(
      new RegExp(`${time}-->  payin\\.paid  evt_\\w+  ${body.id}  ${merchant.url}$`),
    );
    expect(answered).toMatch(new RegExp(`${time}<--  payin\\.paid  evt_\\w+  200  \\d+ ms`));
    expect(sandbox.stdout).toBe("");
  });

  it("has the sandbox's time in every line, also after the clock has moved", async () => {
    await using merchant = await startMerchant();
    const { sandbox, calls } = await startLogged("--clock", "frozen", "--now", "2030-01-01T10:00Z");
    await using _ = sandbox;
    await calls.control("POST", "/clock/advance", { seconds: 90 });
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);
    const lines = await sandbox.lines("stderr", 4, (line) => /^\d\d:\d\d:/.test(line));
    expect(lines.map((line) => line.slice(0, 13))).toEqual(Array(4).fill("10:01:30.000Z"));
  });

  it("names the first field at fault of a refusal", async () => {
    const { sandbox, calls } = await startLogged();
    await using _ = sandbox;
    await calls.createPayin({ value: -1 });
    const [refused] = await sandbox.lines("stderr", 1, (line) => / 400 /.test(line));
    expect(refused).toContain("INVALID_VALUE value: ");
  });

  it("says after the last failed attempt how to send it again, and how to verify a signature", async () => {
    await using merchant = await startMerchant({ answer: 401 });
    const { sandbox, calls } = await startLogged();
    await using _ = sandbox;
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);
    const [verify, resend] = await sandbox.lines("stderr", 2, (line) => line.startsWith("!!"));
    expect(verify).toContain("npx pix-sandbox webhooks verify FILE");
    expect(resend).toMatch(/pix-sandbox webhooks resend evt_\w+ --url http:\S+$/);
  });

  it.each([
    ["calls", ["POST", "POST"]],
    ["webhooks", ["-->", "<--"]],
    ["none", []],
  ])("prints what --log %s names", async (log, expected) => {
    await using merchant = await startMerchant();
    const { sandbox, calls } = await startLogged("--log", log);
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);
    await calls.control("POST", "/settle");
    const { stderr } = await sandbox.stop();
    expect(stderr.match(/POST|-->|<--/g) ?? []).toEqual(expected);
  });

  it("is JSON lines on stdout with --json --log all, and absent with --json alone", async () => {
    await using merchant = await startMerchant();
    await using plain = await serveMain(["--memory"]);
    await using sandbox = await serveMain(["--memory", "--log", "all"]);
    for (const { url } of [plain, sandbox]) {
      const calls = callsTo(url);
      const { body } = await calls.createPayin({ webhook_url: merchant.url });
      await calls.simulate("payin", body.id);
      await calls.control("POST", "/settle");
    }
    const { stdout } = await sandbox.stop();
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      "ready",
      "call",
      "call",
      "webhook_sent",
      "webhook_answered",
    ]);
    expect((await plain.stop()).stdout.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("a reader of the log that is slow", () => {
  it("loses lines, and the next line says how many", () => {
    const written: string[] = [];
    const target = { writableLength: 0, write: (text: string) => written.push(text) };
    const log = new LogStream(target, (lines) => `${lines} dropped`);
    log.print("one");
    target.writableLength = 1024 * 1024;
    log.print("two");
    log.print("three\nfour");
    target.writableLength = 0;
    log.print("five");
    expect(written).toEqual(["one\n", "3 dropped\n", "five\n"]);
  });

  it("does not block the server", { timeout: 60_000 }, async () => {
    const bin = path.resolve("bin/pix-sandbox.js");
    const child = spawn(process.execPath, [bin, ...SERVE, "--json", "--log", "all"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [ready] = (await once(child.stdout, "data")) as [Buffer];
    // From here on its output is not read.
    child.stdout.pause();
    const { url } = JSON.parse(ready.toString()) as { url: string };
    // Long lines, which fill what is held for a reader.
    const call = () => fetch(`${url}/v1/${"x".repeat(8000)}`, { method: "POST" });
    const statuses = new Set<number>();
    for (let count = 0; count < 400; count++) statuses.add((await call()).status);
    expect([...statuses]).toEqual([404]);

    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString())).resume();
    const dropped = (): number => Number(/"type":"dropped","lines":(\d+)/.exec(text)?.[1] ?? 0);
    let sent = 400;
    for (; dropped() === 0; sent++) await call();
    child.kill("SIGTERM");
    await once(child, "close");
    const printed = text.match(/"type":"call"/g)?.length ?? 0;
    expect(printed + dropped()).toBeLessThanOrEqual(sent);
    expect(dropped()).toBeGreaterThan(0);
  });
});
