import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsTo } from "../../support/calls.ts";
import { EXPORT_FORMATS, type ExportFormat, runExport } from "../../support/exports.ts";
import { runMain, runMainJson, type ServingMain, serveMain } from "../../support/main.ts";
import { startMerchant } from "../../support/merchant.ts";
import { HOSTILE, liveShopDay } from "../../support/shop-day.ts";

describe("export", { timeout: 120_000 }, () => {
  let sandbox: ServingMain;
  let merchant: Awaited<ReturnType<typeof startMerchant>>;
  const exports = new Map<ExportFormat, { text: string; notes: readonly string[] }>();

  beforeAll(async () => {
    sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    merchant = await startMerchant();
    await liveShopDay(sandbox.url, merchant.url);
    for (const format of EXPORT_FORMATS)
      exports.set(format, await runMainJson(["export", "--as", format, "--url", sandbox.url]));
  });
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    await merchant[Symbol.asyncDispose]();
  });

  const exported = (format: ExportFormat): string => exports.get(format)?.text ?? "";

  describe.each(EXPORT_FORMATS)("as %s", (format) => {
    it("leaves nothing out, and no token or address", () => {
      expect(exports.get(format)?.notes).toEqual([]);
      expect(exported(format)).not.toContain("secret-token");
      expect(exported(format)).not.toContain(merchant.url);
    });

    it("passes as it stands in a fresh sandbox, and once more", async () => {
      await using fresh = await serveMain(["--memory"]);
      for (let time = 0; time < 2; time++)
        expect(await runExport(format, exported(format), fresh.url)).toMatchObject({
          passes: true,
        });
    });

    it.each([
      ["another final status", /canceled/g, "completed"],
      ["another refusal", /DUPLICATED_VALUE/g, "NOT_PROCESSABLE"],
    ])("fails with %s", async (_name, wanted, other) => {
      await using fresh = await serveMain(["--memory"]);
      const changed = exported(format).replaceAll(wanted, other);
      expect(changed).not.toBe(exported(format));
      expect(await runExport(format, changed, fresh.url)).toMatchObject({ passes: false });
    });
  });
});

describe("export of one transaction", { timeout: 120_000 }, () => {
  it("has its rivals and nothing else", async () => {
    await using sandbox = await serveMain(["--memory"]);
    const calls = callsTo(sandbox.url);
    const webhook_url = `${sandbox.url}/_sandbox/sink/a`;
    await calls.createPayin({ webhook_url });
    await calls.createPayout({ webhook_url, value: 1 });
    await calls.createPayout({ webhook_url, value: 2, receiver_cpf: "11144477735" });
    const { body: rival } = await calls.createPayout({ webhook_url, value: 3 });
    const { text, notes } = await exportOf(sandbox, "scenario", "--transaction", rival.id);
    expect(notes).toEqual([]);
    const { steps } = JSON.parse(text) as { steps: readonly Record<string, unknown>[] };
    expect(steps.filter(({ call }) => call === "POST /v1/payins")).toEqual([]);
    expect(steps.filter(({ call }) => call === "POST /v1/payouts")).toMatchObject([
      { body: { value: 1 } },
      { body: { value: 3 } },
    ]);
    await using fresh = await serveMain(["--memory"]);
    expect(await runExport("scenario", text, fresh.url)).toMatchObject({ passes: true });
  });

  it("is found by the beginning of its id, and by last", async () => {
    await using sandbox = await serveMain(["--memory"]);
    const { body } = await callsTo(sandbox.url).createPayin({
      webhook_url: `${sandbox.url}/_sandbox/sink/a`,
    });
    const whole = await exportOf(sandbox, "curl", "--transaction", body.id);
    expect(whole.text).toContain("payin_1");
    for (const id of ["last", body.id.slice(0, 8)])
      expect(await exportOf(sandbox, "curl", "--transaction", id)).toEqual(whole);
  });
});

describe("export of a large body", { timeout: 120_000 }, () => {
  it("passes as a script: a program takes no argument of that size", async () => {
    await using sandbox = await serveMain(["--memory"]);
    const calls = callsTo(sandbox.url);
    const webhook_url = `${sandbox.url}/_sandbox/sink/a`;
    const buyer_name = `${HOSTILE} ${"ã".repeat(100_000)}`;
    const { body } = await calls.createPayin({ webhook_url, buyer_name });
    await calls.simulate("payin", body.id);
    await calls.control("POST", "/settle");
    const { text } = await exportOf(sandbox, "curl");
    await using fresh = await serveMain(["--memory"]);
    expect(await runExport("curl", text, fresh.url)).toMatchObject({ passes: true });
    const { data } = await callsTo(fresh.url).control<{
      readonly data: readonly { readonly buyer_name: string }[];
    }>("GET", "/payins");
    expect(data.map((payin) => payin.buyer_name)).toEqual([buyer_name]);
  });
});

describe("export says what is missing", { timeout: 120_000 }, () => {
  it("when the request log has forgotten requests", async () => {
    await using sandbox = await serveMain(["--memory", "--keep-requests", "2"]);
    const calls = callsTo(sandbox.url);
    const webhook_url = `${sandbox.url}/_sandbox/sink/a`;
    await calls.gateway("PUT", "/v1/webhooks", { webhook_url, events: ["payment.failed"] });
    const { body } = await calls.createPayout({ webhook_url });
    await calls.control("POST", `/payouts/${body.id}/cancel`);
    for (const value of [1, 2, 3])
      await calls.createPayin({ webhook_url, value, description: HOSTILE });
    await calls.control("POST", "/settle");
    const { text, notes } = await exportOf(sandbox, "scenario");
    expect(notes).toEqual([expect.stringContaining("creation of 2 of 4 transactions")]);
    expect(text).toContain("rebuilt from their records");
    await using fresh = await serveMain(["--memory"]);
    expect(await runExport("scenario", text, fresh.url)).toMatchObject({ passes: true });
  });

  it("when requests cannot be repeated, and when webhooks failed", async () => {
    await using sandbox = await serveMain(["--memory"]);
    await using merchant = await startMerchant();
    merchant.answerWith(500);
    const calls = callsTo(sandbox.url);
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);
    await calls.control("POST", "/settle");
    await calls.gateway("POST", "/v1/nothing", {});
    const { text, notes } = await exportOf(sandbox, "curl");
    expect(notes).toEqual([
      "Requests that cannot be repeated are left out: 1.",
      expect.stringContaining("had attempts that failed"),
    ]);
    await using fresh = await serveMain(["--memory"]);
    expect(await runExport("curl", text, fresh.url)).toMatchObject({ passes: true });
  });

  it("when transactions were reset", async () => {
    await using sandbox = await serveMain(["--memory"]);
    const calls = callsTo(sandbox.url);
    const options = ["export", "--as", "curl", "--url", sandbox.url];
    expect(await runMain(options)).toMatchObject({ code: 5, stdout: "" });
    await calls.createPayin({ webhook_url: `${sandbox.url}/_sandbox/sink/a` });
    await calls.control("POST", "/reset");
    expect(await runMain(options)).toMatchObject({ code: 5, stdout: "" });
    expect(await runMain([...options, "--transaction", crypto.randomUUID()])).toMatchObject({
      code: 5,
    });
  });
});

describe("export of a sandbox with other assumptions", { timeout: 120_000 }, () => {
  it.each([
    ["payin.expiry_event=webhook", "payout.rival=allow", "payin.paid_status=completed"],
    ["payin.simulation_status=also_canceled", "payout.rival=reject", "error.status=always_400"],
  ])("passes: %s, %s, %s", async (...choices) => {
    const assume = choices.flatMap((choice) => ["--assume", choice]);
    await using sandbox = await serveMain(["--memory", "--clock", "frozen", ...assume]);
    const calls = callsTo(sandbox.url);
    const webhook_url = `${sandbox.url}/_sandbox/sink/a`;
    const first = await calls.createPayin({ webhook_url });
    await calls.createPayin({ webhook_url, expiration: 20 });
    await calls.createPayout({ webhook_url });
    await calls.createPayout({ webhook_url });
    await calls.simulate("payin", first.body.id, "canceled");
    await calls.control("POST", "/clock/advance", { seconds: 25 });
    const last = await calls.createPayin({ webhook_url });
    await calls.control("POST", `/payins/${last.body.id}/pay`);
    await calls.control("POST", "/settle");
    const { text, notes } = await exportOf(sandbox, "scenario");
    expect(notes).toEqual([]);
    await using fresh = await serveMain(["--memory"]);
    expect(await runExport("scenario", text, fresh.url)).toEqual({
      passes: true,
      output: expect.any(String),
    });
  });
});

function exportOf(
  { url }: ServingMain,
  format: ExportFormat,
  ...args: string[]
): Promise<{ text: string; notes: readonly string[] }> {
  return runMainJson(["export", "--as", format, "--url", url, ...args]);
}
