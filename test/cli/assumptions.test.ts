import { describe, expect, it } from "vitest";
import { runMain, runMainJson, serveMain } from "../support/main.ts";

interface Row {
  readonly name: string;
  readonly gap: string;
  readonly choice: string | number;
  readonly default: string | number;
  readonly choices: Readonly<Record<string, string>>;
}

/** A name, its default, and whatever else can be chosen. */
const ROWS = [
  ["value.unit", "reais", "centavos"],
  ["country_code", "two_letters", "br_only"],
  ["cpf.check", "shape", "check_digits"],
  ["phone.size", "either", "words", "size"],
  ["evp.form", "any", "lower_v4"],
  ["email.size", "any", "77"],
  ["payin.generate_qrcode", "false", "true"],
  ["qr_code_base64.form", "bare", "data_uri"],
  ["payin.simulation_status", "completed_only", "also_canceled"],
  ["payin.paid_status", "paid", "completed"],
  ["payin.expiry_event", "none", "webhook"],
  ["payout.recipient", "receiver_cpf", "pix_key"],
  ["payout.rival", "cancel", "reject", "allow"],
  ["payout.auto", "never", "complete_after:<seconds>"],
  ["environment", "staging", "production"],
  ["simulation.final", "reject", "repeat"],
  ["header.missing", "validation", "unauthorized"],
  ["credentials", "any", "listed"],
  ["error.status", "distinct", "always_400"],
  ["error.language", "en", "pt"],
  ["unknown_field", "ignore", "reject"],
  ["idempotency.repeat", "replay", "reject"],
  ["idempotency.mismatch", "reject", "replay"],
  ["webhook.signature", "standard_webhooks", "none"],
  ["webhook.success", "2xx", "only_200"],
  ["webhook.retries", "laptop", "production", "none"],
] as const;

describe("assumptions", { timeout: 60_000 }, () => {
  it("needs no sandbox, and lists the gaps of the specification and the choices", async () => {
    const { data } = await runMainJson<{ data: Row[]; next: null }>(["assumptions"]);

    const found = data.map((row) => [row.name, row.default, ...Object.keys(row.choices)]);
    for (const [name, standard, ...others] of ROWS) {
      const row = found.find(([one]) => one === name);
      expect([name, row?.[1], row?.slice(2).toSorted()]).toEqual([
        name,
        standard,
        [standard, ...others].toSorted(),
      ]);
    }
    for (const { gap, choice, default: standard } of data) {
      expect(gap).toMatch(/\.$/);
      expect(choice).toBe(standard);
    }
    const numbers = Object.fromEntries(data.map((row) => [row.name, row.choice]));
    expect(numbers).toMatchObject({
      "idempotency.retention_seconds": 86_400,
      "webhook.timeout_seconds": 10,
      "rate_limit.per_minute": 0,
    });
  });

  it("reads as text: each name with its choice, each choice with its meaning", async () => {
    const { code, stdout } = await runMain(["assumptions"]);

    expect(code).toBe(0);
    for (const [name, standard, ...others] of ROWS) {
      expect(stdout).toContain(`${name} = ${standard}`);
      for (const choice of [standard, ...others])
        expect(stdout).toMatch(new RegExp(`^ +\\*? ${choice}: \\S`, "m"));
    }
  });

  it("shows what holds in a sandbox that is named", async () => {
    const choices = ["payout.rival=allow", "payout.auto=complete_after:30"];
    const assume = choices.flatMap((choice) => ["--assume", choice]);
    await using sandbox = await serveMain(["--memory", ...assume]);
    const { stdout } = await runMain(["assumptions", "--url", sandbox.url]);

    expect(stdout).toContain("payout.rival = allow (default cancel)");
    expect(stdout).toContain("payout.auto = complete_after:30 (default never)");
    const held = [...stdout.matchAll(/^ +\* ([^ ]+): /gm)].map(([, choice]) => choice);
    expect(held).toContain("complete_after:<seconds>");
    // One of each row.
    expect(held).toHaveLength(stdout.match(/^\S+ = /gm)?.length ?? 0);
  });
});

describe("secret", { timeout: 60_000 }, () => {
  it("prints the secret and nothing else", async () => {
    await using sandbox = await serveMain();
    expect(await runMain(["secret", "--url", sandbox.url])).toMatchObject({
      code: 0,
      stdout: `${sandbox.secret}\n`,
      stderr: "",
    });
  });
});
