import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { adviceFor } from "../../src/cli/output/advice.ts";
import { english } from "../../src/text/languages.ts";
import { say } from "../../src/text/message.ts";
import { runMain, startMain } from "../support/main.ts";
import { type Merchant, startMerchant, verified } from "../support/merchant.ts";

const TYPES = [
  ["payin.paid", "paid"],
  ["payin.expired", "expired"],
  ["payout.completed", "completed"],
  ["payout.canceled", "canceled"],
  ["payment.received", "paid"],
  ["payment.failed", "canceled"],
] as const;

interface Triggered {
  readonly record: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly webhook: {
    readonly id: string;
    readonly type: string;
    readonly transaction_id: string;
    readonly url: string;
    readonly attempts: readonly { readonly status?: number }[];
  } | null;
}

let sandbox: Sandbox;
let merchant: Merchant;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "frozen", now: "2026-11-21T12:00:00Z" });
  merchant = await startMerchant();
});
afterEach(async () => {
  merchant.answerWith(200);
  await sandbox.reset();
});
afterAll(async () => {
  await sandbox.close();
  await merchant.close();
});

const trigger = (...args: readonly string[]) =>
  runMain(["trigger", ...args], { env: { PIX_SANDBOX_URL: sandbox.url } });
const triggerJson = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await trigger(...args, "--json");
  return { code, stderr, ...(JSON.parse(stdout) as Triggered) };
};

describe("trigger", () => {
  it.each(["payin.paid", "payout.completed"])(
    "%s has a sample amount in the unit",
    async (type) => {
      await sandbox.integration("sandbox").assumptions.change({ "value.unit": "centavos" });
      expect(await triggerJson(type)).toMatchObject({ code: 0, record: { value: 1050 } });
      await sandbox.integration("sandbox").assumptions.change({ "value.unit": "reais" });
      expect(await triggerJson(type)).toMatchObject({ code: 0, record: { value: 10.5 } });
    },
  );

  it.each(TYPES)("causes %s, on a frozen clock too", async (type, status) => {
    const shop = sandbox.integration("sandbox");
    await shop.assumptions.change({ "payin.expiry_event": "webhook" });
    await shop.webhooks.configure({
      webhookUrl: merchant.at("/configured"),
      events: ["payment.received", "payment.failed"],
    });
    const { code, stderr, record, webhook } = await triggerJson(
      type,
      "--webhook-url",
      merchant.at("/own"),
      "--value",
      "25",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(record).toMatchObject({ status, value: 25, integration: "sandbox" });
    const path = type.startsWith("payment.") ? "/configured" : "/own";
    expect(webhook).toMatchObject({
      type,
      transaction_id: record.id,
      url: merchant.at(path),
      status: "delivered",
      attempts: [{ status: 200 }],
    });
    const received = merchant.received.filter(({ body }) => body.includes(webhook?.id ?? "-"));
    expect(received.map((one) => verified(one, sandbox.secret).id)).toEqual([webhook?.id]);
  });

  it("shows the webhook, and that the sandbox's own receiver has verified it", async () => {
    const { code, stdout, stderr } = await trigger("payin.paid", "--buyer-name", "João");
    const [payin] = await sandbox.payins.list();
    const [delivery] = await sandbox.webhooks.list();
    expect(code).toBe(0);
    expect(stdout).toContain(`payin ${payin?.id} is paid  R$10.50\n`);
    expect(stdout).toContain(`\npayin.paid  ${delivery?.id}\n   -->  ${delivery?.url}\n`);
    expect(stdout).toMatch(/\n {3}<-- {2}200 {2}\d+ ms {2}\{\}\n/);
    expect(stdout).toMatch(/\n {3}verified: the signature is valid\n$/);
    expect(payin).toMatchObject({
      buyerName: "João",
      webhookUrl: `${sandbox.url}/_sandbox/sink/sample`,
    });
    expect(stderr).toBe(
      `\nIts bytes and headers: npx pix-sandbox webhooks show ${delivery?.id} --url ${sandbox.url}\nNext, your own handler: npx pix-sandbox trigger payin.paid --webhook-url URL --url ${sandbox.url}\n`,
    );
  });

  it.each([
    ["verified: the signature is valid", []],
    ["signed", ["--webhook-url"]],
  ])("says of a webhook: %s", async (verdict, to) => {
    const address = to.flatMap((option) => [option, merchant.url]);
    const { stdout } = await trigger("payout.completed", ...address);
    expect(stdout.endsWith(`\n   ${verdict}\n`)).toBe(true);
    await sandbox.faults.once("webhook", "bad_signature");
    const wrong = await trigger("payout.completed", ...address);
    expect([wrong.code, wrong.stdout]).toEqual([
      0,
      expect.stringMatching(/\n {3}not valid: .+\n$/),
    ]);
  });

  it("asks of a refused connection whether the app runs, and then whether it is in another container", () => {
    const advice = (error: string, isContained: boolean): string =>
      english(adviceFor(error, isContained) ?? say`-`);
    const asked = "connection refused: does the app run, and listen on that port?";
    expect(advice("ECONNREFUSED 127.0.0.1:9", false)).toBe(asked);
    expect(advice("ECONNREFUSED 172.17.0.2:9", true)).toBe(asked);
    for (const host of ["127.0.0.1", "[::1]"])
      expect(advice(`ECONNREFUSED ${host}:9`, true)).toBe(
        `${asked} If it runs outside this container: --webhook-host-rewrite localhost=host.docker.internal`,
      );
  });

  it("is not canceled by a payout that is in progress, unless it names its receiver", async () => {
    await sandbox.payouts.create();
    expect(await triggerJson("payout.completed")).toMatchObject({
      code: 0,
      record: { status: "completed" },
    });
    const { receiverCpf } = await sandbox.payouts.create({ receiverCpf: "52998224725" });
    const { code, stderr } = await trigger("payout.completed", "--receiver-cpf", receiverCpf);
    expect([code, stderr]).toEqual([4, expect.stringContaining("canceled")]);
  });

  it("creates receivers whose CPF has valid check digits", async () => {
    await sandbox.assumptions.change({ "cpf.check": "check_digits" });
    expect((await triggerJson("payout.canceled")).code).toBe(0);
  });

  it("acts as the given integration", async () => {
    const { record } = await triggerJson("payin.paid", "--token", "shop");
    expect(record).toMatchObject({ integration: "shop" });
  });

  it.each([
    [500, "500"],
    [302, "302"],
  ])("exits with 8 if the first attempt is answered %i", async (status, text) => {
    merchant.answerWith(status);
    const { code, stdout, stderr } = await trigger("payin.paid", "--webhook-url", merchant.url);
    const [delivery] = await sandbox.webhooks.list();
    expect(code).toBe(8);
    expect(stdout).toContain(`  ${text}  `);
    expect(stderr).toContain(
      `error: The webhook to ${merchant.url} failed: ${text}.\nTo send it again: npx pix-sandbox webhooks resend ${delivery?.id} --url ${sandbox.url}\n`,
    );
  });

  it("says how the app gets to know a payin that it responds to with 404", async () => {
    merchant.answerWith(404);
    const { stderr } = await trigger("payin.paid", "--webhook-url", merchant.url);
    expect(stderr).toContain(`then npx pix-sandbox pay last --url ${sandbox.url}\n`);
  });

  it("exits with 8 if no receiver answers, with --json one document and one error", async () => {
    const { code, stderr, webhook } = await triggerJson(
      "payin.paid",
      "--webhook-url",
      "http://127.0.0.1:9/hook",
    );
    expect([code, webhook?.attempts]).toEqual([
      8,
      [expect.objectContaining({ error: "ECONNREFUSED 127.0.0.1:9" })],
    ]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "WEBHOOK_NOT_DELIVERED" } });
  });

  it("exits with 8 if the clock must be moved first", async () => {
    await sandbox.faults.once("webhook", "delay_ms=500");
    const { code, stderr } = await trigger("payin.paid");
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining("npx pix-sandbox clock advance 1s"),
    ]);
  });

  it("waits for a delayed webhook while the clock runs", async () => {
    await using own = await startSandbox();
    await own.faults.once("webhook", "delay_ms=100");
    const { code, stdout } = await runMain(["trigger", "payin.paid"], {
      env: { PIX_SANDBOX_URL: own.url },
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining("verified")]);
  });

  it("exits with 5 if a reset removes the webhook before its first attempt", async () => {
    await using own = await startSandbox();
    await own.faults.once("webhook", "delay_ms=60000");
    await using program = startMain(["trigger", "payin.paid"], {
      env: { PIX_SANDBOX_URL: own.url },
    });
    while ((await own.webhooks.list()).length === 0) await setImmediate();
    await own.reset();
    expect(await program.ended).toMatchObject({ code: 5, stdout: "" });
  });

  it("tells how to switch on payin.expired, which is no failure", async () => {
    const { code, stdout, stderr } = await trigger("payin.expired");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^payin \S+ is expired  R\$10\.50\n$/);
    expect(stderr).toContain("npx pix-sandbox serve --assume payin.expiry_event=webhook\n");
    expect(await triggerJson("payin.expired")).toMatchObject({
      code: 0,
      stderr: "",
      webhook: null,
    });
  });

  it("exits with 5 if no configured address receives a payment event, and changes no configuration", async () => {
    const shop = sandbox.integration("sandbox");
    const first = await trigger("payment.received");
    expect([first.code, first.stderr]).toEqual([
      5,
      expect.stringContaining(
        `Configure one: PUT ${sandbox.url}/v1/webhooks with {"webhook_url":"…","events":["payment.received"]}`,
      ),
    ]);
    const configuration = { webhookUrl: merchant.url, events: ["payment.failed"] as const };
    await shop.webhooks.configure(configuration);
    expect((await trigger("payment.received")).code).toBe(5);
    expect(await shop.webhooks.configuration()).toEqual(configuration);
    expect(await sandbox.payins.list()).toEqual([]);
  });

  it("refuses what the gateway refuses, an unknown event and the options of another record", async () => {
    expect(await trigger("payin.paid", "--value", "0")).toMatchObject({ code: 4 });
    const unknown = await trigger("payin.payed");
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('Did you mean "payin.paid"?'),
    ]);
    expect(await trigger("payin.paid", "--receiver-cpf", "1")).toMatchObject({
      code: 2,
      stderr: "error: payin.paid is an event of a payin, which has no --receiver-cpf.\n",
    });
  });
});

describe("webhooks received", () => {
  it("lists what the sandbox's own receiver got, and whether each signature is valid", async () => {
    const env = { PIX_SANDBOX_URL: sandbox.url };
    const received = (...args: string[]) => runMain(["webhooks", "received", ...args], { env });
    expect((await received()).stdout).toBe("The sandbox's own receiver got no webhooks.\n");

    await trigger("payin.paid");
    await runMain(["faults", "add", "webhook", "bad_signature", "--times", "1"], { env });
    await trigger("payout.completed");
    const { stdout } = await received();
    const [, first = "", second = ""] = stdout.split("\n");
    expect(first).toMatch(/ payin\.paid +\S+ +valid /);
    expect(second).toMatch(/ payout\.completed +\S+ +The signature was made with another secret/);
    const { data } = JSON.parse((await received("--json", "--limit", "1")).stdout) as {
      data: { type: string; verified: boolean }[];
    };
    expect(data).toMatchObject([{ type: "payout.completed", verified: false }]);
  });
});
