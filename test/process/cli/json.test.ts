import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { runMainJson, type ServingMain, serveMain } from "../../support/main.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

const WEBHOOK = ["--webhook-url", "http://127.0.0.1:9/hook"];

describe("--json", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain();
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  const at = (): string[] => ["--url", sandbox.url];

  it("makes every command print one document, the answer of its route", async () => {
    const { control } = callsTo(sandbox.url);
    const payin = await runMainJson<Shown>(["payin", "create", ...WEBHOOK, ...at()]);
    expect(payin).toEqual(await control("GET", `/payins/${payin.id}`));
    expect(payin).toMatchObject({ status: "waiting", integration: "sandbox" });
    expect(payin.qr_code).toMatch(/^000201/);
    const payout = await runMainJson<Shown>(["payout", "create", ...WEBHOOK, ...at()]);
    expect(payout).toEqual(await control("GET", `/payouts/${payout.id}`));

    expect(await runMainJson(["ready", ...at()])).toMatchObject({ ready: true, mode: "real" });
    expect(await runMainJson(["qr", payin.id, ...at()])).toEqual({ qr_code: payin.qr_code });
    const { secret, ready } = sandbox;
    expect(await runMainJson(["secret", ...at()])).toEqual({ secret, seed: ready.seed });
    for (const [line, path] of [
      ["payin list", "/payins?order=desc"],
      ["payout list", "/payouts?order=desc"],
      [`payin show ${payin.id}`, `/payins/${payin.id}`],
      [`payout show ${payout.id}`, `/payouts/${payout.id}`],
      ["assumptions", "/assumptions"],
    ] as const)
      expect([line, await runMainJson([...line.split(" "), ...at()])]).toEqual([
        line,
        await control("GET", path),
      ]);
    expect(await runMainJson(["simulate", "payin", payin.id, ...at()])).toHaveProperty("message");
    const canceled = ["simulate", "payout", payout.id, "--status", "canceled"];
    expect(await runMainJson([...canceled, ...at()])).toHaveProperty("message");
    await callsTo(sandbox.url).advance(60);
    const webhooks = await runMainJson<{ data: Shown[] }>(["webhooks", "list", ...at()]);
    expect(webhooks).toEqual(await control("GET", "/deliveries?order=desc"));
    expect(webhooks.data.map(({ type }) => type)).toEqual(["payout.canceled", "payin.paid"]);
    for (const { id } of webhooks.data) {
      const shown = await runMainJson<Shown>(["webhooks", "show", id, ...at()]);
      expect(shown).toEqual(await control("GET", `/deliveries/${id}`));
    }
  });

  it("makes each command that acts on webhooks and time print the answer of its route too", async () => {
    await using merchant = await startMerchant();
    await using own = await serveMain(["--memory", "--clock", "frozen"]);
    const calls = callsTo(own.url);
    const run = <Result>(...args: string[]) => runMainJson<Result>([...args, "--url", own.url]);
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);

    const waited = await run<Shown>("wait", "payin.paid");
    expect(waited).toEqual(await calls.control("GET", `/deliveries/${waited.id}`));
    const resent = await run<Shown>("webhooks", "resend", waited.id);
    expect(resent).toEqual(await calls.control("GET", `/deliveries/${waited.id}`));
    expect(resent.attempts).toHaveLength(2);
    expect(await run("webhooks", "resend", "--all")).toEqual(
      await calls.control("GET", "/deliveries"),
    );
    const shown = (await calls.control("GET", "/clock")) as object;
    const { next: _next, ...frozen } = shown as { next?: unknown };
    for (const args of [["clock"], ["clock", "show"]]) expect(await run(...args)).toEqual(shown);
    for (const args of [
      ["clock", "freeze"],
      ["clock", "advance", "0"],
    ])
      expect(await run(...args)).toEqual(frozen);
    expect(await run("clock", "set", "2100-01-01T00:00:00Z")).toMatchObject({
      now: "2100-01-01T00:00:00.000Z",
      mode: "frozen",
      happened: [],
    });
    expect(await run("clock", "resume")).toMatchObject({ mode: "real", happened: [] });
  });

  it.each([
    ["payin", "pay", "paid"],
    ["payin", "cancel", "canceled"],
    ["payin", "expire", "expired"],
    ["payout", "complete", "completed"],
    ["payout", "cancel", "canceled"],
  ])("shows the record that `%s %s` moved, as it then is", async (noun, move, status) => {
    const { id } = await runMainJson<Shown>([noun, "create", ...WEBHOOK, ...at()]);
    const moved = await runMainJson<Shown>([noun, move, id, ...at()]);

    expect(moved).toEqual(await callsTo(sandbox.url).control("GET", `/${noun}s/${id}`));
    expect(moved.status).toBe(status);
  });
});

describe("serve --json", { timeout: 60_000 }, () => {
  it("prints one line, and nothing more whatever happens", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startServe(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);
    await calls.advance(60);
    const { stdout, stderr } = await sandbox.stop();

    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(stderr).toBe("");
  });
});
