import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/program/program.ts";
import { processIo } from "../../src/cli/terminal/io.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { runMain, runMainJson } from "../support/main.ts";

async function refusalOf(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runMain(args);
  expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
  return stderr;
}

describe("a refused command line", { timeout: 60_000 }, () => {
  it.each([
    ["refund", "npx pix-sandbox --help"],
    ["foo", "npx pix-sandbox --help"],
    ["payins", '"payin"'],
    ["help paiyn", '"payin"'],
    ["payin crate", '"create"'],
    ["payin delete", "create, list, show, pay, cancel, expire"],
    ["trigger payin.foo", "payin.paid, payin.expired"],
    ["wait paid", "payin.paid, payin.expired"],
    ["webhooks list --type payin.payd", '"payin.paid"'],
    ["payin list --statu=paid", '"--status"'],
    ["payin list --port 7490", "--url http://127.0.0.1:7490"],
    ["payin create --on", "npx pix-sandbox payin create --help"],
    ["payin create --value 10,50", "10.50"],
    ["payin show", "npx pix-sandbox payin show last"],
    ["record", "Missing option --to <file>. For example"],
    ["exec --memroy npm test", '"--memory"'],
    ["serve --memory --state state.json", "--memory"],
    ["decode missing.png", "-"],
    ["serve --config missing.json", "--config"],
  ])("says the next step: %s", async (line, step) => {
    expect((await refusalOf(line.split(" "))).split("\n").join(" ")).toContain(step);
  });

  it.each([
    ["matrix -- npm test", 'Unknown command "matrix".', "exec --each"],
    ["scenario run", 'Unknown command "scenario".', "exec, with a test of your own"],
    [
      "export scenario",
      'Unknown command "export".',
      "requests --json, or the curl line of a request in the inspector",
    ],
    [
      "listen --port 4000",
      'Unknown command "listen".',
      "webhooks received, webhooks tail, or receiver() in a test",
    ],
    ["doctor", 'Unknown command "doctor".', "ready"],
    [
      "state check file.json",
      'Unknown command "check".',
      "serve, which names the file and the line if it refuses a state",
    ],
    [
      "state repair file.json",
      'Unknown command "repair".',
      "serve, which names the file and the line if it refuses a state",
    ],
    [
      "serve --strict-state",
      'Unknown option "--strict-state".',
      "serve, which names the file and the line if it refuses a state",
    ],
    ["serve --help-all", 'Unknown option "--help-all".', "--help"],
    ["serve --from trace.html", 'Unknown option "--from".', "--fixtures"],
    ["exec --trace-unmasked -- npm test", 'Unknown option "--trace-unmasked".', "requests --json"],
    [
      "serve --check-webhook-host a",
      'Unknown option "--check-webhook-host".',
      "check-webhook, on the machine of the handler",
    ],
    ["exec --ui -- npm test", 'Unknown option "--ui".', "serve --open"],
    [
      "report --effect http://x",
      'Unknown option "--effect".',
      "check-webhook URL --order COMMAND --effect COMMAND|URL",
    ],
    ["report --baseline a.json", 'Unknown option "--baseline".', "report --ignore RULE=REASON"],
    ["report --require RULE", 'Unknown option "--require".', "report --json"],
    ["report --wait", 'Unknown option "--wait".', "exec --report"],
    ["webhooks tail --cursor f", 'Unknown option "--cursor".', "webhooks list"],
    ["webhooks tail --since 1", 'Unknown option "--since".', "webhooks list"],
    ["requests --follow", 'Unknown option "--follow".', "requests --json, or the log of serve"],
  ])("says what took the place of what left: %s", async (line, error, hint) => {
    const lines = [`error: ${error}`, `It was removed. Use instead: ${hint}`, ""];
    expect((await refusalOf(line.split(" "))).split("\n")).toEqual(lines);
  });

  it("has a next step for every command without its arguments", async () => {
    for (const path of await pathsWithArguments())
      expect(await refusalOf(path)).toContain(`\nFor example: npx pix-sandbox ${path.join(" ")} `);
  });
});

it.each([
  ["missing/calls.jsonl", "Create its folder"],
  ["package.json", "package.json exists. Choose another file."],
])(
  "a file that no recording can be written to is refused with its reason: %s",
  async (file, reason) => {
    const target = ["--target", "http://127.0.0.1:9/v1"];
    const { code, stderr } = await runMain(["record", "--to", file, ...target]);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(reason);
  },
);

describe("an amount on the command line", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  it.each([
    ["en", "1.000", 1],
    ["pt-BR", "10,50", 10.5],
    ["pt-BR", "1.234,5", 1234.5],
    ["pt-BR", "10.50", 10.5],
    ["pt-BR", "10.5", 10.5],
    ["pt-BR", "0.500", 0.5],
  ])("may have a comma in Portuguese: %s %s", async (language, value, read) => {
    const args = ["payin", "create", "--value", value, "--lang", language, "--url", sandbox.url];
    expect(await runMainJson(args)).toMatchObject({ value: read });
  });

  it.each(["1.000", "123.456"])(
    "is refused in Portuguese if it has two meanings: %s",
    async (value) => {
      const { code } = await runMain(["payin", "create", "--value", value, "--lang", "pt-BR"]);
      expect(code).toBe(2);
    },
  );
});

async function pathsWithArguments(): Promise<readonly string[][]> {
  const found: string[][] = [];
  const add = (command: Command, path: readonly string[]): void => {
    for (const child of command.commands) add(child, [...path, child.name()]);
    const isRequired = command.registeredArguments.some(({ required }) => required);
    if (isRequired && command.commands.length === 0) found.push([...path]);
  };
  for (const { name, load } of COMMANDS) add((await load())(processIo()), [name]);
  expect(found.length).toBeGreaterThan(20);
  return found;
}
