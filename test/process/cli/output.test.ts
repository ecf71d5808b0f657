import { describe, expect, it } from "vitest";
import { runCli } from "../../support/cli.ts";
import { runMain, runMainJson, startMain, serveMain } from "../../support/main.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

const ESC = "\u001b";
/** Clears the screen, renames the window, turns the direction of the text, and overwrites the line. */
const HOSTILE = `${ESC}[2J${ESC}]0;owned\u0007\u009b31m\u202egnp.exe\rMaria\u0000\u2066\u200b`;
/** No argument of a process has a NUL. */
const ARGUMENT = HOSTILE.replaceAll("\u0000", "");
/** What a terminal obeys: controls but the newline, C1 controls, and what turns the direction of text. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is for.
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

describe("color", { timeout: 60_000 }, () => {
  it.each<[isColored: boolean, line: string, env: Record<string, string>]>([
    [false, "assumptions", {}],
    [false, "--help", {}],
    [true, "assumptions", { FORCE_COLOR: "1" }],
    [false, "assumptions", { FORCE_COLOR: "0" }],
    [false, "assumptions", { NO_COLOR: "1", FORCE_COLOR: "1" }],
    [false, "assumptions --json", { FORCE_COLOR: "1" }],
    [true, "ready --url http://127.0.0.1:1", { FORCE_COLOR: "1" }],
    [false, "ready --url http://127.0.0.1:1", {}],
  ])("is printed to a pipe (%s): %s with %j", async (isColored, line, env) => {
    const { stdout, stderr } = await runCli(line.split(" "), { env });
    expect((stdout + stderr).includes(`${ESC}[`)).toBe(isColored);
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
      ["payin", "show", ARGUMENT],
      ["payin", "list", "--after", ARGUMENT],
      ["payin", ARGUMENT],
      ["payin", "list", `--${ARGUMENT}`],
      ["payin", "list", "--limit", ARGUMENT],
      ["serve", "--assume", ARGUMENT],
      ["webhooks", "show", ARGUMENT],
      ["webhooks", "tail", "--status", ARGUMENT],
      ["webhooks", "tail", "--forward-to", ARGUMENT],
      ["wait", ARGUMENT, "--timeout", "0"],
      ["clock", "set", ARGUMENT],
      ["clock", "advance", ARGUMENT],
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
