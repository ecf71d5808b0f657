import { readdir, readFile, writeFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { readOptions, servingCommand } from "../../src/cli/serving/options.ts";
import { CliError } from "../../src/cli/terminal/errors.ts";
import type { Io } from "../../src/cli/terminal/io.ts";
import { ASSUMPTION_NAMES, triedChoices } from "../../src/core/assumptions/table.ts";
import { isFilled } from "../../src/server/options/option-checks.ts";
import { english, translate } from "../../src/text/languages.ts";
import { localize, setLanguage } from "../../src/cli/terminal/language.ts";
import {
  COMMAND_ROWS,
  type Option,
  type OptionName,
  flagOf,
  memberOf,
  variableOf,
} from "../../src/server/options/options.ts";
import { createFolder } from "../support/folder.ts";
import { runMain } from "../support/main.ts";

const FILE = "pix-sandbox.config.json";
const schema = JSON.parse(
  await readFile(new URL("../../config.schema.json", import.meta.url), "utf8"),
) as object;
const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
const CREDENTIAL = { api_key: "shop", api_secret: "open sesame", merchant_id: 42 };

/** Values of options that not every text or number is one of. */
const VALUES: Readonly<Partial<Record<OptionName, readonly string[]>>> = {
  publicUrl: ["https://a.example", "https://b.example", "https://c.example"],
  corsOrigins: ["https://a.example", "https://b.example", "https://c.example"],
  now: ["2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z", "2026-11-23T12:00:00Z"],
  webhookHostRewrites: ["a=b.example", "b=c.example", "c=d.example"],
};

/** What a flag, a variable and a config file may set, as each writes it. */
function valuesOf(name: OptionName, { check }: Option): readonly [unknown, unknown, unknown] {
  if (check.kind === "switch") return [true, false, true];
  if (check.kind === "number") return [1, 2, 3];
  const [first = "", second = first, third = first] = check.choices ??
    VALUES[name] ?? ["Recife", "Olinda", "Natal"];
  return check.kind === "list" ? [[first], [second, third], [third]] : [first, second, third];
}

describe("an option of serve", () => {
  const taken = COMMAND_ROWS.filter(([name]) => !["config", "json", "lang"].includes(name));

  it.each(taken)(
    "is what its flag says, else its variable, else the config file, else its default: %s",
    async (name, row) => {
      const [flag, variable, member] = valuesOf(name, row);
      const texts = Array.isArray(flag) ? flag : [flag];
      const args = texts.flatMap((one) => [
        `--${flagOf(name)}`,
        ...(one === true ? [] : [String(one)]),
      ]);
      const env = { [variableOf(name)]: String(variable) };
      const config = row.isMember === false ? {} : { [memberOf(name)]: member };
      expect(await read(name, { args, env, config })).toEqual(["flag", `--${flagOf(name)}`, flag]);
      expect(await read(name, { env, config })).toEqual(["variable", variableOf(name), variable]);
      if (row.isMember !== false)
        expect(await read(name, { config })).toEqual([
          "config",
          `${memberOf(name)} in ${FILE}`,
          member,
        ]);
      const standard = row.defaultOf?.serve ?? (row.inCode ? undefined : row.default);
      expect(await read(name, {})).toEqual(["default", `--${flagOf(name)}`, standard]);
    },
  );

  it.each([
    ["port", "65536", "a whole number from 0 to 65535"],
    ["keep_requests", "ten", "a whole number, 0 or more"],
    ["clock", "warm", '"real" or "frozen"'],
    ["host", " ", "a non-empty string"],
    ["public_url", "https://x.example/?a=b", "a URL without a query, such as"],
    ["public_url", "https://a:b@x.example", "a URL without a query, such as"],
    ["now", "9000-01-01T00:00:00Z", "a time before the year 9000, such as"],
    ["cors", "https://x.example/path", "an origin without a path, such as"],
    ["control_token", "two words", "a non-empty string of ASCII letters"],
  ])("has one check for all of them, which names the one: %s %s", async (member, value, rule) => {
    const [flag, variable] = [`--${member.replaceAll("_", "-")}`, `PIX_SANDBOX_${member}`];
    const shown = member === "control_token" ? "…" : JSON.stringify(value);
    const config = { [member]: member === "cors" ? [value] : value };
    for (const [name, given] of [
      [flag, { args: [flag, value] }],
      [variable.toUpperCase(), { env: { [variable.toUpperCase()]: value } }],
      [`${member} in ${FILE}`, { config }],
    ] as const)
      await expect(read("port", given)).rejects.toMatchObject({
        exitCode: 2,
        message: `Invalid value ${shown} for ${name}.`,
        hint: expect.stringContaining(`Use ${rule}`),
      });
  });

  it("suggests the choice that a misspelled one means", async () => {
    await expect(read("clock", { args: ["--clock", "frosen"] })).rejects.toMatchObject({
      message: 'Invalid value "frosen" for --clock.',
      hint: 'Did you mean "frozen"?',
    });
  });

  it("is off if its variable says so, and empty if that of a list is", async () => {
    const memory = async (text: string) =>
      (await read("memory", { env: { PIX_SANDBOX_MEMORY: text }, config: { memory: true } }))[2];
    for (const text of ["0", "false", "off", "no", "FALSE"]) expect(await memory(text)).toBe(false);
    for (const text of ["1", "true"]) expect(await memory(text)).toBe(true);
    const hosts = { PIX_SANDBOX_ALLOW_HOST: " a.test , ,b.test," };
    expect((await read("allowHosts", { env: hosts }))[2]).toEqual(["a.test", "b.test"]);
  });

  it.each([
    ["memory by a flag, a file by a variable", ["--memory"], { STATE: "a" }, {}, undefined],
    ["a file by a flag, memory by a variable", ["--state", "a"], { MEMORY: "1" }, {}, "a"],
    ["a file by a flag, memory in the config file", ["--state", "a"], {}, { memory: true }, "a"],
    ["both in the config file", [], {}, { memory: true, state: "a" }, undefined],
    ["no memory by a variable", [], { MEMORY: "0" }, {}, ".pix-sandbox/state.json"],
  ])("that sets the state: %s", async (_title, args, variables, config, stateFile) => {
    const named = Object.entries(variables).map(([name, value]) => [`PIX_SANDBOX_${name}`, value]);
    const given = { args, env: Object.fromEntries(named) as Record<string, string>, config };
    expect((await readAll(given)).options.stateFile).toBe(stateFile);
  });

  it("has a reader: what nothing reads does nothing", async () => {
    const folders = ["src/cli/serving", "src/cli/commands", "src/server"];
    const files = await Promise.all(folders.map((folder) => sourcesIn(folder)));
    const text = files.flat().join("\n");
    for (const [name] of COMMAND_ROWS)
      expect([name, new RegExp(`[.{ ]${name}[,: })\\]?.;]`).test(text)]).toEqual([name, true]);
  });
});

it("an assumption is refused with the name of what sets it", async () => {
  const refused = async (args: string[], env = {}) =>
    (await runMain(["serve", "--memory", ...args], { env })).stderr.split("\n")[0];
  const reason = 'Unknown assumption "nothing". The command "assumptions" lists all.';
  expect(await refused(["--assume", "payout.rival=allow", "--assume", "nothing=1"])).toBe(
    `error: --assume: ${reason}`,
  );
  expect(await refused([], { PIX_SANDBOX_ASSUME: "payout.rival=allow, nothing=1" })).toBe(
    `error: PIX_SANDBOX_ASSUME: ${reason}`,
  );
});

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
  ])("accepts what serve accepts: %j", async (config) => {
    expect(validate(config)).toBe(await isAccepted(config));
  });

  it("accepts every choice of every assumption, and describes it", async () => {
    for (const name of ASSUMPTION_NAMES)
      for (const choice of triedChoices(name)) {
        const config = { assumptions: { [name]: choice } };
        expect([config, validate(config), await isAccepted(config)]).toEqual([config, true, true]);
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

async function isAccepted(config: unknown): Promise<boolean> {
  try {
    await readAll({ config });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(CliError);
    return false;
  } finally {
    setLanguage("en");
  }
}

interface Sources {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: unknown;
}

async function readAll({ args = [], env = {}, config }: Sources) {
  await using folder = await createFolder();
  if (config !== undefined) await writeFile(folder.at(FILE), JSON.stringify(config));
  const command = servingCommand("serve").action(() => undefined);
  command.parse(args, { from: "user" });
  return await readOptions(command, { env, cwd: folder.path } as unknown as Io);
}

async function read(option: OptionName, sources: Sources) {
  const { source, name, value } = (await readAll(sources)).find(option);
  return [source, localize(name), value];
}

async function sourcesIn(folder: string): Promise<readonly string[]> {
  const at = new URL(`../../${folder}/`, import.meta.url);
  const files = (await readdir(at, { recursive: true })).filter(
    (name) => name.endsWith(".ts") && name !== "options/options.ts",
  );
  return Promise.all(files.map((name) => readFile(new URL(name, at), "utf8")));
}
