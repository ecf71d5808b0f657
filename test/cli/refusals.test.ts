import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/program/program.ts";
import { processIo } from "../../src/cli/terminal/io.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { runMain } from "../support/main.ts";

const PORTUGUESE = ["--lang", "pt-BR"];

/** What a refused command line prints, without the sandbox's address. */
async function refusalOf(args: readonly string[], url?: string): Promise<string> {
  const env = url === undefined ? {} : { PIX_SANDBOX_URL: url };
  const { code, stdout, stderr } = await runMain(args, { env });
  expect({ args, code: code !== 0, stdout }).toEqual({ args, code: true, stdout: "" });
  return stderr.replaceAll(` --url ${url}`, "").trimEnd();
}

describe("a refused command line", { timeout: 60_000 }, () => {
  it.each<[string, string, string]>([
    [
      "export",
      "error: Missing option --as <format>. Use one of scenario, curl.\nFor example: npx pix-sandbox export --as scenario --token my-shop > payment.json",
      "erro: Falta a opção --as <formato>. Use um destes: scenario, curl.\nPor exemplo: npx pix-sandbox export --as scenario --token my-shop > payment.json",
    ],
    [
      "refund",
      "error: The gateway's specification shows neither refunds nor balances. pix-sandbox has no command for them.\nSee its help: npx pix-sandbox --help",
      "erro: A especificação do gateway não tem devoluções nem saldos, por isso não há esse comando.\nVeja a ajuda: npx pix-sandbox --help",
    ],
    [
      "trigger payin.foo",
      'error: Unknown event type "payin.foo". Use one of payin.paid, payin.expired, payout.completed, payout.canceled, payment.received, payment.failed.',
      'erro: Tipo de evento desconhecido: "payin.foo". Use um destes: payin.paid, payin.expired, payout.completed, payout.canceled, payment.received, payment.failed.',
    ],
    [
      "payin list --port 7490",
      'error: Unknown option "--port".\nName the sandbox with --url, such as --url http://127.0.0.1:7490',
      'erro: Opção desconhecida: "--port".\nInforme o sandbox com --url, como --url http://127.0.0.1:7490',
    ],
    [
      "payin create --valor 10",
      'error: Unknown option "--valor". Did you mean "--value"?',
      'erro: Opção desconhecida: "--valor". Você quis dizer "--value"?',
    ],
    [
      "payout create --chave x",
      'error: Unknown option "--chave". Did you mean "--pix-key"?',
      'erro: Opção desconhecida: "--chave". Você quis dizer "--pix-key"?',
    ],
    [
      "payin criar",
      'error: Unknown command "criar". Did you mean "create"?',
      'erro: Comando desconhecido: "criar". Você quis dizer "create"?',
    ],
    [
      "clock avançar 5m",
      'error: Unknown command "avançar" of "clock". Did you mean "advance"?',
      'erro: Comando desconhecido de "clock": "avançar". Você quis dizer "advance"?',
    ],
    [
      "payin list --status pago",
      'error: Invalid value "pago" for --status <status>. Use one of waiting, paid, completed, canceled, expired. Did you mean "paid"?',
      'erro: Valor inválido para --status <status>: "pago". Use um destes: waiting, paid, completed, canceled, expired. Você quis dizer "paid"?',
    ],
    [
      "payin show",
      "error: Missing argument <id>.\nFor example: npx pix-sandbox payin show last",
      "erro: Falta o argumento <id>.\nPor exemplo: npx pix-sandbox payin show last",
    ],
    [
      "decode missing.png",
      "error: missing.png cannot be read: it does not exist.\nCheck its path, or pass - to read the standard input.",
      "erro: missing.png não pode ser lido: ele não existe.\nConfira o caminho dele, ou passe - para ler a entrada padrão.",
    ],
    [
      "serve --config missing.json",
      "error: The config file missing.json cannot be read: it does not exist.\nPass an existing file with --config.",
      "erro: O arquivo de configuração missing.json não pode ser lido: ele não existe.\nPasse um arquivo existente com --config.",
    ],
  ])("says what is wrong, and the next step: %s", async (line, english, portuguese) => {
    expect(await refusalOf(line.split(" "))).toBe(english);
    expect(await refusalOf([...line.split(" "), ...PORTUGUESE])).toBe(portuguese);
  });

  it("has a next step for every command without its arguments", async () => {
    for (const path of await pathsWithArguments())
      for (const [language, example] of [
        ["en", "For example: npx pix-sandbox "],
        ["pt-BR", "Por exemplo: npx pix-sandbox "],
      ] as const)
        expect(await refusalOf([...path, "--lang", language])).toContain(
          `\n${example}${path.join(" ")} `,
        );
  });
});

describe("a call that the sandbox refuses", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  it("does not repeat the names of the fields", async () => {
    const line = ["payin", "create", "--value=-1"];
    expect(await refusalOf(line, sandbox.url)).toMatch(/^error: value must be a number [^\n]*$/);
    const portuguese = await refusalOf([...line, ...PORTUGUESE], sandbox.url);
    expect(portuguese).toMatch(/^erro: value deve ser um número [^\n]*$/);
  });

  it("is explained if a payment is the second one", async () => {
    const { id } = await sandbox.payins.create({ value: 1 });
    await sandbox.payins.pay(id);
    expect(await refusalOf(["pay", "last"], sandbox.url)).toBe(
      "error: This payin is already paid.\nA final status does not change. Create another payin: npx pix-sandbox payin create",
    );
    expect(await refusalOf(["pay", "last", ...PORTUGUESE], sandbox.url)).toBe(
      "erro: Esta cobrança já tem o status paid.\nUm status final não muda. Crie outro payin: npx pix-sandbox payin create",
    );
    expect(await refusalOf(["payin", "cancel", "last"], sandbox.url)).toContain(
      "A payin that is paid cannot become canceled.\nA final status does not change.",
    );
  });
});

/** The commands with a required argument. */
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
