import { describe, expect, it } from "vitest";
import { runMain, runMainJson, type ServingMain, serveMain } from "../support/main.ts";
import { callsTo } from "../support/calls.ts";
import { startMerchant } from "../support/merchant.ts";

const START = "2026-11-21T12:00:00.000Z";
const NOWHERE = "http://127.0.0.1:9/hook";

interface WireClock {
  readonly now: string;
  readonly mode: string;
  readonly happened: readonly unknown[];
}

describe("clock", { timeout: 60_000 }, () => {
  it.each([[[]], [["show"]]])("shows what time it is: %j", async (args) => {
    await using sandbox = await startFrozen();
    expect(await run(sandbox, ...args)).toEqual({
      code: 0,
      signal: null,
      stdout: `${START}  frozen\n`,
      stderr: "",
    });
  });

  it("is set forward, and prints what happened on the way, a line each", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    await using sandbox = await startFrozen("--assume", "payin.expiry_event=webhook");
    const calls = callsTo(sandbox.url);
    const paid = (await calls.createPayin({ webhook_url: merchant.url })).body.id;
    const other = await calls.createPayin({ webhook_url: merchant.url, expiration: 20 });
    await calls.simulate("payin", paid);
    await calls.control("POST", "/settle");
    const { code, stdout } = await run(sandbox, "set", "2026-11-21T09:01:00-03:00");

    const [retried, expiry] = await calls.deliveries();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual([
      `2026-11-21T12:00:01.000Z  attempt payin.paid ${retried?.id}: 200`,
      `2026-11-21T12:00:20.000Z  payin ${other.body.id} is expired`,
      `2026-11-21T12:00:20.000Z  delivery payin.expired ${expiry?.id} is pending`,
      `2026-11-21T12:00:20.000Z  attempt payin.expired ${expiry?.id}: 200`,
      "2026-11-21T12:01:00.000Z  frozen",
    ]);
  });

  it("is advanced by a duration", async () => {
    await using sandbox = await startFrozen();
    for (const [duration, now] of [
      ["500ms", "2026-11-21T12:00:00.500Z"],
      ["30s", "2026-11-21T12:00:30.500Z"],
      ["5m", "2026-11-21T12:05:30.500Z"],
      ["1d", "2026-11-22T12:05:30.500Z"],
    ] as const)
      expect((await run(sandbox, "advance", duration)).stdout).toBe(`${now}  frozen\n`);
  });

  it("stands still from freeze to resume", async () => {
    await using sandbox = await serveMain();
    const frozen = await json(sandbox, "freeze");
    expect(frozen.mode).toBe("frozen");
    expect(await json(sandbox)).toEqual(frozen);
    const { stdout } = await run(sandbox, "resume");
    expect(stdout).toMatch(/^\S+Z {2}real\n$/);
    expect(Date.parse(stdout.split(" ")[0] ?? "")).toBeGreaterThanOrEqual(Date.parse(frozen.now));
  });

  it("prints the route's answer with --json", async () => {
    await using sandbox = await startFrozen();
    const { body } = await callsTo(sandbox.url).createPayin({
      webhook_url: NOWHERE,
      expiration: 20,
    });
    const clock = await json(sandbox, "advance", "20s");

    expect(clock).toMatchObject({
      now: "2026-11-21T12:00:20.000Z",
      mode: "frozen",
      happened: [{ at: "2026-11-21T12:00:20.000Z", kind: "payin", data: { id: body.id } }],
    });
    expect(await json(sandbox)).toEqual({ ...clock, happened: [] });
  });

  it.each([
    [4, ["set", "2026-11-21T11:59:59Z"], "does not go back"],
    [4, ["set", "tomorrow"], "2026-11-21T12:00:00Z"],
    [4, ["advance", "400d"], "31622400"],
    [2, ["advance", "soon"], "duration"],
    [2, ["advance"], "duration"],
    [2, ["set"], "time"],
    [2, ["freeze", "now"], "argument"],
    [2, ["stop"], "show, advance, set, freeze, resume"],
    [2, ["--json", "stop"], "show, advance, set, freeze, resume"],
  ])("ends with %i: %j", async (exitCode, args, words) => {
    await using sandbox = await startFrozen();
    const { code, stdout, stderr } = await run(sandbox, ...args);

    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(stderr).toContain(words);
    expect((await json(sandbox)).now).toBe(START);
  });
});

function startFrozen(...args: string[]): Promise<ServingMain> {
  return serveMain(["--memory", "--clock", "frozen", "--now", START, ...args]);
}

function run({ url }: ServingMain, ...args: string[]) {
  return runMain(["clock", ...args, "--url", url]);
}

function json({ url }: ServingMain, ...args: string[]): Promise<WireClock> {
  return runMainJson<WireClock>(["clock", ...args, "--url", url]);
}
