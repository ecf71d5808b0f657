import { describe, expect, it } from "vitest";
import { runCli, startCli } from "../../support/cli.ts";
import { runMain, runMainJson, startMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

const ESC = "\u001b";
/** Clears the screen, renames the window, turns the direction of the text, and overwrites the line. */
const HOSTILE = `${ESC}[2J${ESC}]0;owned\u0007\u009b31m\u202egnp.exe\rMaria\u0000\u2066\u200b`;
/** What a terminal obeys: controls but the newline, C1 controls, and what turns the direction of text. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is for.
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

describe("color", { timeout: 60_000 }, () => {
  it("is absent if stdout is a pipe", async () => {
    for (const args of [["assumptions"], ["--help"]]) {
      expect((await runCli(args)).stdout).not.toContain(ESC);
    }
  });

  it("is present with FORCE_COLOR", async () => {
    const { stdout } = await runCli(["assumptions"], { env: { FORCE_COLOR: "1" } });
    expect(stdout).toContain(`${ESC}[`);
  });

  it.each([[{ NO_COLOR: "1", FORCE_COLOR: "1" }], [{ FORCE_COLOR: "0" }], [{ NO_COLOR: "1" }]])(
    "is not there with %j",
    async (env) => {
      expect((await runCli(["assumptions"], { env })).stdout).not.toContain(ESC);
    },
  );

  it("never comes with --json", async () => {
    const { stdout } = await runCli(["assumptions", "--json"], { env: { FORCE_COLOR: "1" } });
    expect(stdout).not.toContain(ESC);
  });

  it("is the same for errors: with FORCE_COLOR, and not with NO_COLOR or a pipe", async () => {
    const errorWith = async (env: Record<string, string>): Promise<string> =>
      (await runCli(["ready", "--url", "http://127.0.0.1:1"], { env })).stderr;
    expect(await errorWith({ FORCE_COLOR: "1" })).toContain(`${ESC}[`);
    expect(await errorWith({ NO_COLOR: "1" })).not.toContain(ESC);
    expect(await errorWith({})).not.toContain(ESC);
  });
});

describe("serve's banner", { timeout: 60_000 }, () => {
  it("has at most seven lines, all on stderr, and names addresses, state and clock", async () => {
    await using folder = await createFolder();
    await using sandbox = startCli(["serve", "--port", "0"], { cwd: folder.path });
    await sandbox.lines("stderr", 1, (line) => line.startsWith("Ready"));

    expect(sandbox.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(7);
    expect(sandbox.stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/v1/);
    expect(sandbox.stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/_sandbox\/$/m);
    expect(sandbox.stderr).toContain("state.json");
    expect(sandbox.stderr).toContain("real");
    expect(sandbox.stderr).not.toContain(ESC);
    expect((await sandbox.stop()).stdout).toBe("");
  });

  it("is not there with --quiet", async () => {
    await using folder = await createFolder();
    const ready = folder.at("ready.json");
    const { watch } = await import("node:fs/promises");
    const changes = watch(folder.path);
    await using sandbox = startMain([
      "serve",
      "--memory",
      "--port",
      "0",
      "--quiet",
      "--ready-file",
      ready,
    ]);
    for await (const { filename } of changes) if (filename === "ready.json") break;
    await runMain(["ready", "--url", JSON.parse(await readText(ready)).url as string]);

    expect(await sandbox.stop()).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});

describe("text that came from outside", { timeout: 60_000 }, () => {
  it("reaches no terminal with its control characters, and is not changed by that", async () => {
    await using merchant = await startMerchant({ answer: { status: 500, body: HOSTILE } });
    await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    const webhook_url = merchant.url;
    const { body: payin } = await calls.createPayin({
      webhook_url,
      buyer_name: HOSTILE,
      description: HOSTILE,
    });
    const { body: payout } = await calls.createPayout({ webhook_url, receiver_name: HOSTILE });
    await calls.simulate("payin", payin.id);
    await calls.simulate("payout", payout.id);
    await calls.advance(0);
    const [{ id: deliveryId } = { id: "" }] = await calls.deliveries();

    for (const args of [
      ["payin", "list"],
      ["payin", "show", payin.id],
      ["payout", "list"],
      ["payout", "show", payout.id],
      ["webhooks", "list"],
      ["webhooks", "show", deliveryId],
      ["webhooks", "resend", deliveryId],
      ["webhooks", "resend", "--all"],
      ["clock", "advance", "1s"],
    ]) {
      for (const json of [[], ["--json"]]) {
        const { code, stdout } = await runMain([...args, ...json, "--url", sandbox.url]);
        expect(code).toBe(args[1] === "resend" ? 8 : 0);
        expect([args, OBEYED.exec(stdout)]).toEqual([args, null]);
      }
    }
    expect((await runMain(["payin", "list", "--url", sandbox.url])).stdout).toContain("gnp.exe");
    const shown = await runMainJson<Record<string, unknown>>([
      "payin",
      "show",
      payin.id,
      "--url",
      sandbox.url,
    ]);
    expect(shown).toMatchObject({ buyer_name: HOSTILE, description: HOSTILE });
    const { data } = await runMainJson<{ data: Shown[] }>([
      "webhooks",
      "list",
      "--url",
      sandbox.url,
    ]);
    expect(data[0]?.attempts[0]?.response).toBe(HOSTILE);
  });

  it("takes one line in a list, with any content", async () => {
    await using sandbox = await serveMain();
    const buyer_name = "Maria\n5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10  paid  1000000\t";
    await callsTo(sandbox.url).createPayin({ webhook_url: "http://127.0.0.1:9/", buyer_name });
    const { stdout } = await runMain(["payin", "list", "--url", sandbox.url]);

    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
  });

  it.each([[[]], [["--json"]]])("reaches no terminal by webhooks tail %j either", async (json) => {
    await using merchant = await startMerchant({ answer: { status: 500, body: HOSTILE } });
    await using sandbox = await serveMain();
    await using tail = startMain(["webhooks", "tail", ...json, "--url", sandbox.url]);
    await tail.lines("stderr", 1, (line) => line.startsWith("Connected"));
    const calls = callsTo(sandbox.url);
    const { body } = await calls.createPayin({ webhook_url: merchant.url, buyer_name: HOSTILE });
    await calls.simulate("payin", body.id);
    const [line = ""] = await tail.lines("stdout", 1);

    expect(line).toContain("payin.paid");
    expect(OBEYED.exec(tail.stdout)).toBeNull();
    if (json.length === 0) return;
    const { attempt } = JSON.parse(line) as { attempt: { response: string } };
    expect(attempt.response).toBe(HOSTILE);
  });

  it("reaches no terminal by an error, be it a command's argument or a sandbox's answer", async () => {
    await using sandbox = await serveMain();
    for (const args of [
      ["payin", "show", HOSTILE.replaceAll("\u0000", "")],
      ["payin", "list", "--after", HOSTILE.replaceAll("\u0000", "")],
      ["payin", HOSTILE.replaceAll("\u0000", "")],
      ["payin", "list", `--${HOSTILE.replaceAll("\u0000", "")}`],
      ["payin", "list", "--limit", HOSTILE.replaceAll("\u0000", "")],
      ["serve", "--assume", HOSTILE.replaceAll("\u0000", "")],
      ["webhooks", "show", HOSTILE.replaceAll("\u0000", "")],
      ["webhooks", "tail", "--since", HOSTILE.replaceAll("\u0000", "")],
      ["webhooks", "tail", "--forward-to", HOSTILE.replaceAll("\u0000", "")],
      ["wait", HOSTILE.replaceAll("\u0000", ""), "--timeout", "0"],
      ["clock", "set", HOSTILE.replaceAll("\u0000", "")],
      ["clock", "advance", HOSTILE.replaceAll("\u0000", "")],
    ]) {
      for (const json of [[], ["--json"]]) {
        const env = { PIX_SANDBOX_URL: sandbox.url };
        const { code, stdout, stderr } = await runMain([...args, ...json], { env });
        expect(code).not.toBe(0);
        expect(stdout).toBe("");
        expect([args, OBEYED.exec(stderr)]).toEqual([args, null]);
      }
    }
  });
});

async function readText(file: string): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return readFile(file, "utf8");
}
