import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import type { Shown } from "../support/calls.ts";
import { startMerchant } from "../support/merchant.ts";
import { runMain, runMainJson } from "../support/main.ts";

const UNKNOWN_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";
const UNKNOWN_EVENT_ID = "evt_0123456789abcdef0123456789abcdef";
/** The code of a charge, from the central bank's manual. */
const BR_CODE =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
const SERVE = ["serve", "--memory", "--port", "0"];

let sandbox: Sandbox;
let paid: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  const env = { PIX_SANDBOX_URL: sandbox.url };
  const create = ["payin", "create", "--idempotency-key", "once"];
  ({ id: paid } = await runMainJson<Shown>(create, { env }));
  await runMain(["payin", "pay", paid], { env });
});
afterAll(() => sandbox.close());

/** A failed command prints a sentence without a stack trace on stderr, and one JSON object with --json. */
async function expectFailure(args: readonly string[], exitCode: number, errorCode: string) {
  const env = { PIX_SANDBOX_URL: sandbox.url };
  const plain = await runMain(args, { env });
  expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code: exitCode, stdout: "" });
  expect(plain.stderr).toMatch(/^(error: \S|Examples:)/);
  expect(plain.stderr).not.toMatch(/^ {4}at /m);
  const json = await runMain([...args, "--json"], { env });
  expect({ code: json.code, stdout: json.stdout }).toEqual({ code: exitCode, stdout: "" });
  expect(json.stderr).toMatch(/^[^\n]+\n$/);
  const { error } = JSON.parse(json.stderr) as { error: { message: string; hint: string | null } };
  expect(error).toEqual({
    code: errorCode,
    message: expect.stringMatching(/\S/) as string,
    hint: expect.toSatisfy((hint) => hint === null || typeof hint === "string") as string,
  });
  return { stderr: plain.stderr, ...error };
}

describe("exit code 2", () => {
  it.each([
    ["an unknown command", ["pay-me"]],
    ["an unknown subcommand", ["payin", "burn"]],
    ["an unknown option", ["serve", "--prot", "1"]],
    ["an argument too many", ["secret", "extra"]],
    ["an argument too few", ["payin", "show"]],
    ["a group without a command", ["payin"]],
    ["no command at all", []],
    ["a choice that does not exist", ["simulate", "payin", UNKNOWN_ID, "--status", "burnt"]],
    ["a status that payouts do not have", ["payout", "list", "--status", "expired"]],
    ["an empty token", ["reset", "--token", ""]],
    ["a port that is no number", ["serve", "--port", "http"]],
    ["a port beyond the last", ["serve", "--port", "65536"]],
    ["a limit beyond the largest", ["payin", "list", "--limit", "1001"]],
    ["a time that is none", [...SERVE, "--now", "yesterday"]],
    ["a day that does not exist", [...SERVE, "--now", "2026-02-30T00:00:00Z"]],
    ["an empty host", [...SERVE, "--host", ""]],
    ["an empty seed", [...SERVE, "--seed", ""]],
    ["a city that no BR Code can carry", [...SERVE, "--city", "東京"]],
    ["a clock that does not exist", ["serve", "--clock", "broken"]],
    ["an assumption that does not exist", [...SERVE, "--assume", "nonsense=1"]],
    ["a choice of an assumption", [...SERVE, "--assume", "payout.rival=fight"]],
    ["an assumption without a choice", [...SERVE, "--assume", "payout.rival"]],
    ["a number out of its range", [...SERVE, "--assume", "webhook.timeout_seconds=0"]],
    ["a duration that is none", ["ready", "--wait", "--timeout", "soon"]],
    ["an address that is none", ["secret", "--url", "http://"]],
    ["a URL to forward to that is none", ["webhooks", "tail", "--forward-to", "localhost"]],
    ["a status that webhooks do not have", ["webhooks", "list", "--status", "paid"]],
    ["nothing to resend", ["webhooks", "resend"]],
    ["nothing to wait for", ["wait"]],
    ["a time to wait that is too long", ["wait", "payin.paid", "--timeout", "1d"]],
    ["a step of the clock that is none", ["clock", "advance", "soon"]],
    ["a move of the clock that there is not", ["clock", "stop"]],
    ["a variable that there is not", ["env", "--as", "ADDRESS=PIX_API_URL"]],
    ["an image that is neither PNG nor SVG", ["qr", BR_CODE, "-o", "code.bmp"]],
  ])("is that of %s", async (_title, args) => {
    await expectFailure(args, 2, "USAGE");
  });
});

describe("exit code 3", () => {
  it.each([
    ["ready"],
    ["payin create"],
    ["payin list"],
    [`payout show ${UNKNOWN_ID}`],
    [`simulate payin ${UNKNOWN_ID}`],
    ["webhooks tail"],
    ["webhooks resend --all"],
    ["wait payin.paid"],
    ["clock advance 5m"],
    [`qr ${UNKNOWN_ID}`],
    ["secret"],
  ])("is that of `%s` where no sandbox responds, and says how to start one", async (line) => {
    const url = "http://127.0.0.1:9";
    const args = [...line.split(" "), "--url", url];
    const { message, hint } = await expectFailure(args, 3, "NO_SANDBOX");
    expect(message).toContain(url);
    expect(hint).toContain("npx pix-sandbox serve");
  });

  it("is that of a command to which something else responds", async () => {
    await using server = await startMerchant({ answer: { status: 200, body: "<h1>Hi</h1>" } });
    await expectFailure(["payin", "list", "--url", server.at("")], 3, "NO_SANDBOX");
  });

  it.each([["payin list"], ["ready --wait"]])(
    "is that of `%s` at a server of the other scheme, with its address",
    async (line) => {
      await using secure = await startSandbox({ https: true });
      for (const { url } of [sandbox, secure]) {
        const other = url.startsWith("https") ? url.replace("s:", ":") : url.replace(":", "s:");
        const args = [...line.split(" "), "--url", other];
        expect((await expectFailure(args, 3, "WRONG_SCHEME")).hint).toBe(`Use --url ${url}`);
      }
    },
  );
});

describe("exit codes 4 and 5", () => {
  it.each([
    ["value", "VALIDATION_ERROR", ["payin", "create", "--value", "0"]],
    ["value", "VALIDATION_ERROR", ["payin", "create", "--value", "ten"]],
    ["buyer_cpf", "VALIDATION_ERROR", ["payin", "create", "--buyer-cpf", "123"]],
    [
      "pix_key",
      "VALIDATION_ERROR",
      ["payout", "create", "--pix-key", "a", "--pix-key-type", "email"],
    ],
    ["key", "DUPLICATED_VALUE", ["payin", "create", "--idempotency-key", "once", "--value", "11"]],
    ["now", "VALIDATION_ERROR", ["clock", "set", "tomorrow"]],
    ["back", "NOT_PROCESSABLE", ["clock", "set", "2001-01-01T00:00:00Z"]],
    ["after", "VALIDATION_ERROR", ["webhooks", "list", "--after", UNKNOWN_EVENT_ID]],
    ["paid", "NOT_PROCESSABLE", ["simulate", "payin", "last"]],
    ["final", "NOT_PROCESSABLE", ["payin", "cancel", "last"]],
    ["final", "NOT_PROCESSABLE", ["pay", "last"]],
  ])("4 is that of a refusal, which names %s: %s %j", async (word, errorCode, args) => {
    expect((await expectFailure(args, 4, errorCode)).stderr).toContain(word);
  });

  it.each([
    [`payin show ${UNKNOWN_ID}`],
    [`payin pay ${UNKNOWN_ID}`],
    [`payout complete ${UNKNOWN_ID}`],
    [`simulate payin ${UNKNOWN_ID}`],
    [`qr ${UNKNOWN_ID}`],
    [`webhooks show ${UNKNOWN_EVENT_ID}`],
    [`webhooks resend ${UNKNOWN_EVENT_ID}`],
    ["webhooks show ../payins"],
    ["payin show %"],
    ["payin show last --token another"],
  ])("5 is that of a record that does not exist: `%s`", async (line) => {
    await expectFailure(line.split(" "), 5, "NOT_FOUND");
  });

  it("5 is that of another integration's record", async () => {
    for (const args of [
      ["payin", "show", paid],
      ["payin", "pay", paid],
      ["simulate", "payin", paid],
    ])
      await expectFailure([...args, "--token", "another"], 5, "NOT_FOUND");
  });
});

describe("other exit codes", () => {
  it("1 is that of a call whose response a fault loses", async () => {
    const env = { PIX_SANDBOX_URL: sandbox.url };
    const fault = ["faults", "add", "payins.create", "lost_answer", "--times", "1"];
    await runMain([...fault, "--token", "lost"], { env });
    const { code, stderr } = await runMain(["payin", "create", "--token", "lost"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("npx pix-sandbox faults list");
  });

  it("6 is that of a wait that timed out", async () => {
    const wait = ["wait", "payout.canceled", "--timeout", "0"];
    expect((await expectFailure(wait, 6, "TIMED_OUT")).stderr).toContain("payout.canceled");
    const ready = ["ready", "--wait", "--timeout", "100ms", "--url", "http://127.0.0.1:9"];
    await expectFailure(ready, 6, "TIMED_OUT");
  });

  it("6 is that of a `ready --wait` whose server never responds", async () => {
    await using server = await startMerchant({ answer: "hold" });
    const ready = ["ready", "--wait", "--timeout", "300ms", "--url", server.at("")];
    await expectFailure(ready, 6, "TIMED_OUT");
  });

  it("7 is that of serve at a port in use", async () => {
    const serve = ["serve", "--memory", "--port", String(sandbox.port)];
    expect((await expectFailure(serve, 7, "PORT_TAKEN")).stderr).toContain("--port");
  });
});
