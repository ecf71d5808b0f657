import { describe, expect, it } from "vitest";
import {
  type Assumption,
  ASSUMPTION_NAMES,
  ASSUMPTIONS,
  STANDARD_ASSUMPTIONS,
} from "../../src/core/assumptions/table.ts";
import { runMain, runMainJson, serveMain } from "../support/main.ts";

interface Row {
  readonly name: string;
  readonly gap: string;
  readonly choice: string | number;
  readonly default: string | number;
  readonly choices: Readonly<Record<string, string>>;
}

/** Each assumption with alternatives that have names: its name, its default, and its other choices. */
const ROWS = ASSUMPTION_NAMES.filter(
  (name) => Object.keys(ASSUMPTIONS[name].choices).length > 1,
).map((name) => {
  const { choices }: Assumption = ASSUMPTIONS[name];
  const standard = STANDARD_ASSUMPTIONS[name];
  const others = Object.keys(choices).filter((choice) => choice !== String(standard));
  return { name, standard, others };
});

describe("assumptions", { timeout: 60_000 }, () => {
  it("needs no sandbox, and lists the gaps of the specification and the choices", async () => {
    const { data } = await runMainJson<{ data: Row[]; next: null }>(["assumptions"]);

    const found = data.map((row) => [row.name, row.default, ...Object.keys(row.choices)]);
    for (const { name, standard, others } of ROWS) {
      const row = found.find(([one]) => one === name);
      expect([name, row?.[1], row?.slice(2).toSorted()]).toEqual([
        name,
        standard,
        [String(standard), ...others].toSorted(),
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
