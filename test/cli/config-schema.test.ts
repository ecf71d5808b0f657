import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { CliError } from "../../src/cli/terminal/errors.ts";
import { readConfig } from "../../src/cli/serving/config-schema.ts";
import { ASSUMPTION_NAMES, triedChoices } from "../../src/core/assumptions/table.ts";
import { isFilled } from "../../src/server/options/option-checks.ts";
import { COMMAND_ROWS, flagOf, memberOf, variableOf } from "../../src/server/options/options.ts";
import { english, translate } from "../../src/text/languages.ts";

const schema = JSON.parse(
  await readFile(new URL("../../config.schema.json", import.meta.url), "utf8"),
) as object;
const validate = new Ajv({ strict: false }).compile(schema);
const CREDENTIAL = { api_key: "shop", api_secret: "open sesame", merchant_id: 42 };

/** A value of each kind of option. */
const VALUES = { switch: true, number: 5, text: "a", list: ["a"], object: {} };

describe("config.schema.json", () => {
  it.each([
    {},
    { $schema: "./node_modules/pix-sandbox/config.schema.json" },
    { port: 0, seed: 42, host: "0.0.0.0", keep_requests: "10" },
    { clock: "frozen", memory: true, cors: ["http://localhost:5173"], log: "calls" },
    { assumptions: { "payout.auto": "complete_after:30", "rate_limit.per_minute": 60 } },
    { assumptions: { "payin.generate_qrcode": true, "email.size": 77 } },
    { credentials: [CREDENTIAL, { ...CREDENTIAL, api_key: "other", merchant_id: "a" }] },
    { portt: 1 },
    { port: 65_536 },
    { port: 1.5 },
    { port: true },
    { keep_requests: "ten" },
    { clock: "broken" },
    { memory: "yes" },
    { cors: "http://localhost" },
    { fixtures: [""] },
    { config: "other.json" },
    { assume: ["payout.rival=allow"] },
    { lang: "pt" },
    { assumptions: { "payout.rival": "fight" } },
    { assumptions: { "payout.auto": "complete_after:0" } },
    { assumptions: ["payout.rival=allow"] },
    { credentials: [{ api_key: "shop" }] },
    { credentials: [{ ...CREDENTIAL, token: "a" }] },
    [],
    null,
  ])("accepts what serve accepts: %j", (config) => {
    expect(validate(config)).toBe(isAccepted(config));
  });

  it("accepts every choice of every assumption, and describes it", () => {
    for (const name of ASSUMPTION_NAMES)
      for (const choice of triedChoices(name)) {
        const config = { assumptions: { [name]: choice } };
        expect([config, validate(config), isAccepted(config)]).toEqual([config, true, true]);
      }
  });

  it("has a member for each option, which reads it", () => {
    for (const [name, { check, isMember = true }] of COMMAND_ROWS) {
      const value = check.kind === "choice" ? check.choices?.[0] : VALUES[check.kind];
      const config = { [memberOf(name)]: value };
      expect([name, validate(config)]).toEqual([name, isMember]);
      if (isMember) expect(readConfig(config, "").options).toEqual({ [name]: value });
    }
  });
});

describe("the table of options", () => {
  it("gives no name twice, and a default that its check accepts", () => {
    const names = COMMAND_ROWS.map(([name]) => flagOf(name));
    expect(new Set(names).size).toBe(names.length);
    expect(variableOf("publicUrl")).toBe("PIX_SANDBOX_PUBLIC_URL");
    for (const [name, row] of COMMAND_ROWS) {
      for (const value of Object.values(row.defaultOf ?? {}))
        expect([name, row.check.accepts(value)]).toEqual([name, true]);
      if (row.default !== undefined)
        expect([name, (row.inCode ?? row.check).accepts(row.default)]).toEqual([name, true]);
      expect([name, isFilled(english(row.help)), isFilled(translate(row.help, "pt"))]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });
});

function isAccepted(config: unknown): boolean {
  try {
    readConfig(config, "config.json");
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(CliError);
    return false;
  }
}
