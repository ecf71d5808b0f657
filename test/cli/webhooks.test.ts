import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runMain, runMainJson, type ServingMain, serveMain } from "../support/main.ts";
import { callsTo, type Shown } from "../support/calls.ts";
import { type Merchant, startMerchant, verified } from "../support/merchant.ts";

const UNKNOWN_ID = "evt_0123456789abcdef0123456789abcdef";
const HOSTILE = "\u001b[2J\u202eturned\r\n";

it("the secrets of an address are masked where people look, and only there", async () => {
  await using merchant = await startMerchant();
  await using sandbox = await serveMain(["--memory"]);
  const address = `${merchant.url.replace("//", "//loja:hunter2@")}?token=s3cr3t&order=1`;
  const calls = callsTo(sandbox.url);
  const { id } = (await calls.createPayin({ webhook_url: address })).body;
  await calls.simulate("payin", id);
  await calls.control("POST", "/settle");
  for (const args of [
    ["payin", "show", "last"],
    ["webhooks", "list"],
    ["webhooks", "show", "last"],
  ]) {
    const { stdout } = await runMain([...args, "--url", sandbox.url]);
    expect(stdout).not.toMatch(/hunter2|s3cr3t/);
    expect(stdout).toContain("//loja:***@127.0.0.1");
    const { stdout: json } = await runMain([...args, "--json", "--url", sandbox.url]);
    expect(json).toContain(address);
  }
  expect(merchant.received[0]?.headers["authorization"]).toBe(`Basic ${btoa("loja:hunter2")}`);
});

describe("webhooks list, show and resend", { timeout: 60_000 }, () => {
  let merchant: Merchant;
  let sandbox: ServingMain;
  /** A webhook that failed and one that was delivered; a third is another integration's. */
  let failed: Shown, delivered: Shown;
  beforeAll(async () => {
    sandbox = await serveMain(["--memory", "--assume", "webhook.retries=none"]);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  beforeEach(async () => {
    merchant = await startMerchant({
      answer: (_, index) => (index === 0 ? { status: 500, body: HOSTILE } : 200),
    });
    const calls = callsTo(sandbox.url, crypto.randomUUID());
    const payin = (await calls.createPayin({ webhook_url: merchant.url })).body;
    const payout = (await calls.createPayout({ webhook_url: merchant.url })).body;
    await calls.simulate("payin", payin.id);
    await calls.control("POST", "/settle");
    await calls.simulate("payout", payout.id);
    const another = callsTo(sandbox.url, crypto.randomUUID());
    const { id } = (await another.createPayin({ webhook_url: merchant.url })).body;
    await another.simulate("payin", id);
    await calls.control("POST", "/settle");
    [failed, delivered] = (await calls.deliveries()).slice(-3) as [Shown, Shown, Shown];
  });
  afterEach(() => merchant.close());

  it.each([
    ["show", ""],
    ["resend", ""],
    ["resend", "--transaction", ""],
    ["list", "--type", " "],
    ["list", "--token", "a\nb"],
  ])("take nothing for a name that is none: %s %j %j", async (...args) => {
    const { code, stdout, stderr } = await runMain(["webhooks", ...args, "--url", sandbox.url]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: /);
  });

  const run = (...args: string[]) => runMain(["webhooks", ...args, "--url", sandbox.url]);
  const json = <Result>(...args: string[]) =>
    runMainJson<Result>(["webhooks", ...args, "--url", sandbox.url]);
  const show = (id: string) => callsTo(sandbox.url).control<Shown>("GET", `/deliveries/${id}`);
  const mine = (): string[] => ["--token", failed.integration];

  it("lists what a filter selects, in pages", async () => {
    const ids = async (...args: string[]): Promise<readonly string[]> =>
      (await json<{ data: Shown[] }>("list", ...mine(), ...args)).data.map(({ id }) => id);

    expect(await ids("--status", "failed")).toEqual([failed.id]);
    expect(await ids("--type", "payout.completed")).toEqual([delivered.id]);
    expect(await ids("--transaction", delivered.transaction_id)).toEqual([delivered.id]);
    expect(await ids("--limit", "1")).toEqual([delivered.id]);
    expect(await ids("--after", failed.id)).toEqual([delivered.id]);
    expect(await ids("--before", delivered.id)).toEqual([failed.id]);
    const { stdout, stderr } = await run("list", ...mine(), "--limit", "1");
    expect(stdout).not.toContain(failed.id);
    expect(stderr).toBe(`1 more: --limit 2, or --before ${delivered.id}\n`);
    expect((await run("list", "--token", "nobody")).stdout).toBe("No webhooks.\n");
  });

  it("shows the bytes and each attempt with its headers and its answer, escaped", async () => {
    const { code, stdout } = await run("show", failed.id);

    expect(code).toBe(0);
    expect(stdout).toContain(failed.body);
    expect(stdout).toMatch(/^1\. \S+Z {2}500 {2}\d+ ms {2}\\u001b\[2J\\u202eturned$/m);
    const [attempt] = failed.attempts;
    for (const [name, value] of Object.entries(attempt?.headers ?? {}))
      expect(stdout).toContain(`   ${name}: ${value}\n`);
    expect(Object.keys(attempt?.headers ?? {})).toContain("webhook-signature");
    expect(await json("show", failed.id)).toEqual(failed);
  });

  it("resends one with its id and bytes, signed anew, and prints what became of it", async () => {
    const { code, stdout } = await run("resend", failed.id);
    const resent = merchant.received.at(-1);

    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${failed.id} +payin\\.paid +delivered +2 +200 `, "m"));
    expect(merchant.received).toHaveLength(4);
    expect(resent?.body).toBe(failed.body);
    expect(resent && verified(resent, sandbox.secret).id).toBe(failed.id);
    const shown = await show(failed.id);
    expect(shown.attempts).toMatchObject([{ status: 500 }, { status: 200, resend: true }]);
  });

  it("resends all that a filter selects, and prints them", async () => {
    const { code, stdout } = await run("resend", "--status", "delivered", ...mine());

    expect(code).toBe(0);
    expect(stdout).toContain(delivered.id);
    expect(stdout).not.toContain(failed.id);
    expect(merchant.received).toHaveLength(4);
    expect(merchant.received.at(-1)?.body).toBe(delivered.body);
  });

  it("resends all of them with --all", async () => {
    const { data } = await json<{ data: Shown[] }>("resend", "--all", ...mine());

    expect(data.map(({ id }) => id)).toEqual([failed.id, delivered.id]);
    expect(data).toEqual([await show(failed.id), await show(delivered.id)]);
  });

  it("prints the route's response with --json, and exits with 8 after a failed attempt", async () => {
    merchant.answerWith(500);
    const { code, stdout } = await run("resend", delivered.id, "--json");
    const answer = JSON.parse(stdout) as Shown;
    expect(code).toBe(8);

    expect(answer).toEqual(await show(delivered.id));
    expect(answer).toMatchObject({
      status: "delivered",
      attempts: [{ status: 200 }, { status: 500 }],
    });
  });

  it.each([
    ["nothing that says which", []],
    ["an id beside a filter", [UNKNOWN_ID, "--status", "failed"]],
    ["an id beside --all", [UNKNOWN_ID, "--all"]],
    ["--all beside a filter of a status that there is not", ["--all", "--status", "burnt"]],
  ])("ends with 2 where resend has %s, and resends nothing", async (_title, args) => {
    const { code, stdout, stderr } = await run("resend", ...args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toBe("");
    expect(merchant.received).toHaveLength(3);
  });
});
