import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import { textPairs } from "../../cli/texts.ts";
import { runCli, startServe } from "../../support/cli.ts";
import { runMain, serveMain, startMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Ended, freePort } from "../../support/process.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

const BRAZIL = { LANG: "pt_BR.UTF-8" };
const UNKNOWN_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";
const UNKNOWN_EVENT_ID = "evt_0123456789abcdef0123456789abcdef";
const WEBHOOK = ["--webhook-url", "http://127.0.0.1:9/hook"];

const ENGLISH = 'error: Invalid value "0" for --limit <number>. Use a whole';
const PORTUGUESE = 'erro: Valor inválido para --limit <número>: "0". Use um número';
/** A refusal that needs no sandbox. */
const REFUSED = ["payin", "list", "--limit", "0"];

describe("the language of the command line", { timeout: 60_000 }, () => {
  it.each<[string, Record<string, string>, string]>([
    ["LANG=pt_BR.UTF-8", { LANG: "pt_BR.UTF-8" }, PORTUGUESE],
    ["LANG=pt", { LANG: "pt" }, PORTUGUESE],
    ["LANG=pt-BR", { LANG: "pt-BR" }, PORTUGUESE],
    ["LC_MESSAGES before LANG", { LC_MESSAGES: "pt_BR", LANG: "C" }, PORTUGUESE],
    ["LC_ALL before both", { LC_ALL: "en_US", LC_MESSAGES: "pt_BR", LANG: "pt_BR" }, ENGLISH],
    ["an empty LC_ALL as none", { LC_ALL: "", LANG: "pt_BR" }, PORTUGUESE],
    ["PIX_SANDBOX_LANG before all", { PIX_SANDBOX_LANG: "en", LC_ALL: "pt_BR" }, ENGLISH],
    ["PIX_SANDBOX_LANG=pt-BR", { PIX_SANDBOX_LANG: "pt-BR" }, PORTUGUESE],
    ["an empty PIX_SANDBOX_LANG as none", { PIX_SANDBOX_LANG: "", LANG: "pt_BR" }, PORTUGUESE],
    ["any other as English", { LANG: "ptx_XX" }, ENGLISH],
    ["none as English", { LANG: "" }, ENGLISH],
  ])("is the machine's: %s", async (_title, env, beginning) => {
    const { code, stderr } = await runMain(REFUSED, { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching("") as string });
    expect(stderr.slice(0, beginning.length)).toBe(beginning);
  });

  it.each<[string[], string]>([
    [["--lang", "pt-BR", ...REFUSED], PORTUGUESE],
    [["payin", "--lang", "pt-BR", "list", "--limit", "0"], PORTUGUESE],
    [[...REFUSED, "--lang", "pt-BR"], PORTUGUESE],
    [[...REFUSED, "--lang=pt-BR"], PORTUGUESE],
    [["--lang", "en", ...REFUSED, "--lang", "pt-BR"], PORTUGUESE],
    [[...REFUSED, "--lang", "en"], ENGLISH],
  ])("is what --lang says, wherever it stands: %j", async (args, beginning) => {
    const other = beginning === ENGLISH ? "pt-BR" : "en";
    const { code, stderr } = await runMain(args, { env: { PIX_SANDBOX_LANG: other, ...BRAZIL } });
    expect(code).toBe(2);
    expect(stderr.slice(0, beginning.length)).toBe(beginning);
  });

  it("is refused if unknown, from --lang and from PIX_SANDBOX_LANG", async () => {
    const byFlag = await runMain(["magic", "--lang", "fr"]);
    expect(byFlag).toMatchObject({ code: 2, stdout: "" });
    expect(byFlag.stderr).toContain("Use one of en, pt-BR.");
    const byEnvironment = await runMain(["magic"], { env: { PIX_SANDBOX_LANG: "fr", ...BRAZIL } });
    expect(byEnvironment).toMatchObject({ code: 2, stdout: "" });
    expect(byEnvironment.stderr).toContain("Use um destes: en, pt-BR.");
  });

  it("does not affect a command after --", async () => {
    const script = "console.log(process.argv.slice(1).join(' '))";
    const behind = ["--", process.execPath, "-e", script, "--", "--lang", "pt-BR"];
    const { code, stdout, stderr } = await runCli(["exec", "--report", ...behind]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "--lang pt-BR\n" });
    expect(stderr).toContain("requests");
    const told = await runCli(["exec", "--report", "--lang", "pt-BR", ...behind]);
    expect(told.stdout).toBe("--lang pt-BR\n");
    expect(told.stderr).toMatch(/^requisições +0 +0 recusadas$/m);
  });

  it("comes from serve's config file, unless a flag or the environment sets it", async () => {
    await using folder = await createFolder();
    await using busy = await startSandbox();
    const config = folder.at("config.json");
    await writeFile(config, JSON.stringify({ lang: "pt-BR", port: busy.port, memory: true }));
    const start = (args: string[], env = {}): Promise<Ended> =>
      runMain(["serve", "--config", config, ...args], { env });

    expect((await start([])).stderr).toContain("está em uso.");
    expect((await start(["--lang", "en"])).stderr).toContain("is in use.");
    expect((await start([], { PIX_SANDBOX_LANG: "en" })).stderr).toContain("is in use.");
    expect((await start([], { LANG: "C" })).stderr).toContain("está em uso.");
    await writeFile(config, JSON.stringify({ lang: "fr" }));
    const refused = await start([]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('"lang"');
  });
});

describe("a machine that speaks Portuguese", { timeout: 120_000 }, () => {
  it("changes nothing that scripts read: stdout with --json, and exit codes", async () => {
    const [english, portuguese] = [await tellAll({}), await tellAll(BRAZIL)];
    expect(english.length).toBeGreaterThan(35);
    for (const [index, { args, ended }] of english.entries())
      expect(portuguese[index]).toEqual({ args, ended });
  });

  it("runs a scenario to the end, and prints it in Portuguese", async () => {
    await using sandbox = await serveMain(["--memory"], { env: BRAZIL });
    const env = { ...BRAZIL, PIX_SANDBOX_URL: sandbox.url };
    const { code, stdout, stderr } = await runMain(["scenario", "run", "paid"], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^✓ 1 {2}A loja cria uma cobrança$/m);
    expect(stdout).toMatch(/^paid: todos os \d+ passos passaram\.$/m);
    expect(leftEnglish(stdout)).toEqual([]);
  });

  it("prints refusals in Portuguese, whatever the gateway's language is", async () => {
    await using sandbox = await startServe(["--memory"], { env: BRAZIL });
    const env = { ...BRAZIL, PIX_SANDBOX_URL: sandbox.url };
    const create = (...args: string[]): Promise<Ended> =>
      runMain(["payin", "create", "--value", "0", ...WEBHOOK, ...args], { env });
    const portuguese = await create();
    expect(portuguese.code).toBe(4);
    expect(portuguese.stderr).toContain("erro: value deve ser um número");
    expect((await create("--lang", "en")).stderr).toContain("error: value must be a number");

    const { control } = callsTo(sandbox.url);
    await control("PATCH", "/assumptions", { "error.language": "pt" });
    const inEnglish = await create("--lang", "en");
    expect(inEnglish.stderr).toContain("error: value deve ser um número");
  });
});

describe("what commands print in Portuguese", { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  let paid: Shown;
  beforeAll(async () => {
    sandbox = await startSandbox({ clock: "frozen", seed: "7" });
    const calls = callsTo(sandbox.url);
    paid = (await calls.createPayin({ webhook_url: "http://127.0.0.1:9/hook" })).body;
    await calls.simulate("payin", paid.id);
    await calls.advance(60);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  const run = (...args: string[]): Promise<Ended> =>
    runMain(args, { env: { ...BRAZIL, PIX_SANDBOX_URL: sandbox.url } });

  it.each<[string, RegExp]>([
    ["ready", /^pix-sandbox \S+ está pronto em http/],
    ["payin list", /^ID +STATUS +VALOR +CRIADO +COMPRADOR +INTEGRAÇÃO$/m],
    ["payin list --status canceled", /^Nenhum payin\.$/m],
    ["payout list", /^Nenhum payout\.$/m],
    ["webhooks list", /^ID +TIPO +STATUS +TENTATIVAS +ÚLTIMA +TRANSAÇÃO +URL$/m],
    ["webhooks resend --all", /TENTATIVAS/],
    ["faults", /^Nenhuma falha\.$/m],
    ["faults add webhook duplicate --times 2", /^effect +duplicate$/m],
    ["faults list", /EFEITO +USADA +RESTAM +RETIDAS +SE +INTEGRAÇÃO$/m],
    ["faults clear", /^falhas removidas: 1$/m],
    ["snapshot list", /^Nenhum snapshot\.$/m],
    ["snapshot save", /^NOME +INTEGRAÇÃO +CRIADO +PAYINS +PAYOUTS +WEBHOOKS\ndefault +todas /m],
    ["snapshot delete default", /^Apagado\.$/m],
    ["clock", /frozen, .* à frente da hora real$/m],
    ["requests --token nobody", /^Nenhuma requisição\.$/m],
    ["assumptions", /^ {2}Se os dígitos verificadores de um CPF são conferidos\.$/m],
    ["magic", /^slow: A chamada espera 3 s de tempo real primeiro\.$/m],
    ["scenario list", /^NOME +CENÁRIO$/m],
    ["completion fish", /-l seed -r -d 'a mesma seed gera os mesmos ids, /m],
    ["reset --token nobody", /^nobody: reset feito\. A hora é \S+ \(relógio frozen\)\.$/m],
  ])("are words of that language: %s", async (line, expected) => {
    const { code, stdout, stderr } = await run(...line.split(" "));
    // Nothing listens at the webhook's address.
    expect({ line, code }).toEqual({ line, code: line.startsWith("webhooks resend") ? 8 : 0 });
    expect(stdout).toMatch(expected);
    expect(leftEnglish(`${stdout}\n${stderr}`)).toEqual([]);
  });

  it("reports a webhook without a response, and what to check", async () => {
    const { stdout } = await run("webhooks", "list", "--json");
    const { data } = JSON.parse(stdout) as { data: Shown[] };
    const shown = await run("webhooks", "show", data[0]?.id ?? "");
    expect(shown.stdout).toContain(
      "!!  conexão recusada: confira se o app está no ar e escuta nessa porta;",
    );
    expect(leftEnglish(shown.stdout)).toEqual([]);
  });

  it.each<[number, string[], string]>([
    [2, [], "Uso: pix-sandbox [opções] [comando]"],
    [2, ["payn"], 'erro: Comando desconhecido: "payn". Você quis dizer "payin"?\n'],
    [2, ["payin", "list", "--stat", "x"], 'erro: Opção desconhecida: "--stat". Você quis dizer'],
    [2, ["wait"], "erro: Falta o argumento <tipo de evento>.\n"],
    [2, ["wait", "x", "--id"], "erro: Falta o valor de --id <id>.\n"],
    [2, ["magic", "a", "b"], 'erro: Argumentos demais para "magic": esperados 0, recebidos 2.\n'],
    [2, ["completion", "csh"], 'erro: Valor inválido para <shell>: "csh". Use um destes: bash'],
    [2, ["payin", "list", "--status", "x"], 'Valor inválido para --status <status>: "x". Use um'],
    [2, ["payin", "list", "--token", ""], ': "". O valor está vazio.\n'],
    [2, ["clock", "advance", "soon"], 'erro: Duração inválida: "soon".\nUse um número e uma'],
    [2, ["clock", "stop"], 'erro: Comando desconhecido de "clock": "stop".\nUse um destes: show'],
    [2, ["webhooks", "resend"], "erro: Selecione os webhooks a reenviar.\nPasse um id"],
    [2, ["webhooks", "tail", "--since", "x"], 'erro: --since inválido: "x".\nUse um id de'],
    [2, ["faults", "add", "webhook", "early", "--match", "x"], "erro: --match inválido. Use nome="],
    [2, ["qr", "00020101"], "erro: BR Code inválido. O campo 63 (CRC) deve"],
    [2, ["exec", "--as", "x", "--", "true"], 'erro: --as inválido: "x".\nUse uma forma'],
    [2, ["serve", "--assume", "x=y"], 'erro: --assume x=y: Premissa desconhecida "x".'],
    [2, ["serve", "--assume", "credentials=x"], "credentials aceita any, listed.\n"],
    [2, ["serve", "--assume", "rate_limit.per_minute=x"], "aceita 0, um inteiro positivo.\n"],
    [2, ["serve", "--memory", "--fixtures", "/nowhere.json"], "erro: O arquivo de fixtures /nowh"],
    [5, ["scenario", "run", "nothing-like-it"], 'erro: Cenário desconhecido: "nothing-like-it".'],
    [5, ["payin", "show", UNKNOWN_ID], `erro: Não há cobrança com o id ${UNKNOWN_ID}.`],
    [6, ["wait", "payin.paid", "--timeout", "0"], "erro: Nenhum payin.paid foi entregue em 0 ms."],
    [9, ["state", "check", "/nowhere/state.json"], "erro: Não existe o arquivo de estado /nowhere"],
    [127, ["exec", "--", "no-such-command-here"], "erro: Comando não encontrado: no-such-command-"],
  ])("refuse in that language: %i for %j", async (exitCode, args, said) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ args, code, stdout }).toEqual({ args, code: exitCode, stdout: "" });
    expect(stderr).toContain(said);
    // What there was instead is the sandbox's own word.
    const own = stderr.replace(/Em vez disso: .*/, "");
    expect(leftEnglish(own)).toEqual([]);
  });

  it("refuse as JSON with the same codes, and sentences in that language", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await run("secret", "--json", "--url", url);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "NO_SANDBOX",
        message: `Nenhum sandbox responde em ${url} (ECONNREFUSED).`,
        hint: "Informe o endereço com --url ou PIX_SANDBOX_URL, ou inicie um: npx pix-sandbox serve",
      },
    });
    const usage = await run("payin", "list", "--limit", "x", "--json");
    expect(JSON.parse(usage.stderr)).toMatchObject({
      error: {
        code: "USAGE",
        message: expect.stringMatching(/^Valor inválido para --limit/) as string,
      },
    });
  });

  it("name the error in a webhook, and what to do", async () => {
    await using folder = await createFolder();
    const file = folder.at("captured.http");
    const verify = (...args: string[]): Promise<Ended> =>
      run("webhooks", "verify", file, "--secret", sandbox.secret, ...args);
    await using merchant = await startMerchant();
    const calls = callsTo(sandbox.url, "verifies");
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);
    const [webhook] = await merchant.waitFor(1);
    const headers = Object.entries(webhook?.headers ?? {}).filter(([name]) =>
      name.startsWith("webhook-"),
    );
    const write = (named: readonly (readonly [string, unknown])[], text: string): Promise<void> =>
      writeFile(
        file,
        `${named.map(([name, value]) => `${name}: ${String(value)}`).join("\n")}\n\n${text}`,
      );

    await write(headers, webhook?.body ?? "");
    const valid = await verify();
    expect(valid).toMatchObject({ code: 0 });
    expect(valid.stdout).toMatch(
      /^A assinatura é válida: payin\.paid evt_\w+, assinado em \S+\.$/m,
    );
    const flaws: [readonly (readonly [string, unknown])[], string, string[], RegExp][] = [
      [headers.slice(1), webhook?.body ?? "", [], /^erro: Falta webhook-/m],
      [
        headers.map(([name, value]) => [name.replace("webhook", "svix"), value]),
        webhook?.body ?? "",
        [],
        /^erro: Faltam webhook-id, .* e webhook-.*\. Em vez disso chegou: svix-id, .*\.$/m,
      ],
      [headers, "{}", [], /^erro: O corpo é "\{\}", mas a assinatura é de outro corpo\.$/m],
      [headers, "", [], /^erro: O corpo está vazio, mas a assinatura é de outro corpo\.$/m],
      [
        headers,
        JSON.stringify(JSON.parse(webhook?.body ?? ""), null, 2),
        [],
        /^erro: A assinatura confere para outros bytes deste corpo: ele foi interpretado e serializado de novo/m,
      ],
      [
        headers,
        webhook?.body ?? "",
        ["--at", "2100-01-01T00:00:00Z"],
        /^erro: A assinatura confere, mas foi feita há \d+ dias, e um verificador com tolerância de 5 min a rejeita\.$/m,
      ],
      [headers, `${webhook?.body.slice(0, -2)}1}`, [], /^erro: A assinatura foi feita com outro/m],
    ];
    for (const [named, text, args, said] of flaws) {
      await write(named, text);
      const { code, stdout, stderr } = await verify(...args);
      expect({ code, stdout }).toEqual({ code: 8, stdout: expect.any(String) as string });
      expect(stdout).toMatch(/^Não é válido: [a-z_]+\.$/m);
      expect(stderr).toMatch(said);
      expect(leftEnglish(stderr)).toEqual([]);
    }
  });

  it("name the error in a state, and the repair", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    const stop = async (args: string[]): Promise<void> => {
      const serving = await startServe(["--state", file, ...args]);
      await callsTo(serving.url).createPayin({ webhook_url: "http://127.0.0.1:9/" });
      const inUse = await run("state", "check", file);
      expect(inUse).toMatchObject({ code: 7 });
      expect(inUse.stderr).toMatch(/está em uso pelo sandbox com o PID \d+\.\nPare esse/);
      await serving.stop();
    };
    await stop([]);
    const sound = await run("state", "check", file);
    expect(sound.stdout).toMatch(/está íntegro: payins: 1, payouts: 0, webhooks: 0, commits/);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace('"buyerName":', '"buyerName":!'));
    const damaged = await run("state", "check", file);
    expect(damaged).toMatchObject({ code: 8 });
    expect(damaged.stdout).toMatch(/^a linha \d+ de \S+ está danificada: não é um JSON válido\.$/m);
    expect(damaged.stderr).toMatch(/^erro: Um sandbox não consegue abrir /);
    const start = await run("serve", "--port", "0", "--state", file);
    expect(start).toMatchObject({ code: 9 });
    expect(start.stderr).toMatch(
      /^erro: O estado não pode ser aberto: a linha \d+ de \S+ está danificada: não é um JSON válido\. Nada/,
    );
    const repaired = await run("state", "repair", file);
    expect(repaired.stdout).toMatch(/^Os arquivos danificados estão em /m);
    for (const { stdout, stderr } of [sound, damaged, start, repaired])
      expect(leftEnglish(`${stdout}\n${stderr}`)).toEqual([]);
  });

  it("name the error in fixtures, a config file and a scenario", async () => {
    await using folder = await createFolder();
    const file = folder.at("some.json");
    const say = async (content: unknown, ...args: string[]): Promise<string> => {
      await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
      const { code, stderr } = await run(...args);
      expect({ content, code }).toEqual({ content, code: 2 });
      expect(leftEnglish(stderr)).toEqual([]);
      return stderr;
    };
    const fixtures = (content: unknown): Promise<string> =>
      say(content, "serve", "--memory", "--port", "0", "--fixtures", file);
    expect(await fixtures({ payins: [{ value: 0 }] })).toMatch(
      /^erro: O arquivo de fixtures \S+, payins\.0\.\w+: value deve ser um número maior que 0/,
    );
    expect(await fixtures({ charges: [] })).toContain(': "charges" não é payins, nem payouts');
    expect(await fixtures({ payins: {} })).toContain(", payins: deve ser uma lista.");
    expect(await fixtures("[")).toContain(" não é JSON: ");

    const config = (content: unknown): Promise<string> => say(content, "serve", "--config", file);
    expect(await config({ port: true })).toContain(
      ', campo "port": Use um número inteiro de 0 a 65535.',
    );
    expect(await config({ color: 1 })).toContain(' tem o campo desconhecido "color".');
    expect(await config({ clock: "slow" })).toContain('Use "real" ou "frozen".');
    expect(await config({ assumptions: { credentials: "x" } })).toContain(
      "credentials aceita any, listed.",
    );

    const story = (...steps: object[]): Promise<string> =>
      say({ about: "x", steps }, "scenario", "run", file);
    expect(await story({ pay: 1 })).toContain(', passo 1, campo "pay": Use um nome.');
    expect(await story({ pay: "it" })).toContain(
      'nenhum passo anterior define um payin com o nome "it".',
    );
    expect(await story({ clear_faults: true, settle: true })).toContain(
      ": o passo tem duas ações, ",
    );
    expect(await story({ clock: "back" })).toContain("Use freeze, resume, advance com");
    expect(await story({ fault: "boom", on: "webhook" })).toContain('campo "fault": fault deve');
    expect(await story({ fault: "early" })).toContain(
      'campo "on": O campo é obrigatório. Use um destes',
    );
  });

  it("name the failed step of a scenario; as JSON, in English", async () => {
    await using folder = await createFolder();
    const file = folder.at("story.json");
    const steps = [
      { create_payin: {}, as: "charge" },
      { pay: "charge" },
      { wait_for: "payout.completed", of: "charge", timeout: "1ms" },
    ];
    await writeFile(file, JSON.stringify({ about: "x", steps }));
    const told = await run("scenario", "run", file);
    expect(told).toMatchObject({ code: 8 });
    expect(told.stderr).toMatch(/ falhou no passo 3: wait_for payout\.completed$/m);
    expect(told.stderr).toMatch(/^ {2}webhook: esperado "payout\.completed", encontrado nada$/m);
    expect(told.stderr).toMatch(/^ {2}Há payin\.paid de charge: /m);
    expect(told.stderr).toMatch(/^Seed do sandbox: 7. Integração do cenário: scenario-/m);
    const asJson = await run("scenario", "run", file, "--json");
    expect(asJson.stdout).toContain("There is payin.paid of charge");
    expect(asJson.stderr).toContain("falhou no passo 3");
  });

  it("follow the webhooks in that language, serve's banner too", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    const env = { ...BRAZIL };
    await using serving = startMain(["serve", "--memory", "--port", "0"], { env });
    await serving.lines("stderr", 1, (line) => line === "Pronto. Ctrl-C para sair.");
    expect(serving.stderr).toMatch(/^ {2}Estado {5}em memória$/m);
    expect(serving.stderr).toMatch(/^ {2}Seed {7}\S+ {3}relógio real$/m);
    const url = /http\S+(?=\/v1)/.exec(serving.stderr)?.[0] ?? "";
    await using tail = startMain(["webhooks", "tail", "--url", url], { env });
    await tail.lines("stderr", 1, (line) => line.startsWith("Conectado a "));
    const calls = callsTo(url);
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);
    await tail.lines("stdout", 1, (line) => line.includes("próxima tentativa às "));
    await serving.lines("stderr", 1, (line) => line.includes("próxima tentativa em 1 s"));
    const { code, stderr } = await serving.stop();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Encerrando…$/m);
    await tail.lines("stderr", 1, (line) => line.startsWith("O sandbox fechou a conexão;"));
    expect(leftEnglish(`${stderr}${tail.stdout}${tail.stderr}`)).toEqual([]);
  });
});

/** The longer parts of the sources' English texts in printed output. */
function leftEnglish(printed: string): string[] {
  return englishParts.filter((part) => printed.includes(part));
}

const englishParts = (await textPairs())
  .filter(({ file, en, pt }) => en !== pt && !file.startsWith("http/openapi"))
  .flatMap(({ en }) => en.replaceAll("${PROGRAM}", "npx pix-sandbox").split(/\$\{[^}]*\}/))
  .map((part) => part.trim())
  .filter((part) => /[a-z]+ [a-z]+ [a-z]+/i.test(part) && !/^(?:npx )?pix-sandbox/.test(part));

/** What every command prints with --json, and how it ends, on a sandbox of its own that is always the same. */
async function tellAll(env: Record<string, string>) {
  await using folder = await createFolder();
  await using sandbox = await serveMain(
    ["--memory", "--clock", "frozen", "--now", "2026-11-21T12:00:00Z", "--seed", "42"],
    { env },
  );
  const said: { args: readonly string[]; ended: object }[] = [];
  const run = async (...args: string[]): Promise<string> => {
    const surroundings = { ...env, PIX_SANDBOX_URL: sandbox.url };
    // exec starts a process of its own.
    const start = args[0] === "exec" ? runCli : runMain;
    const { code, stdout } = await start([...args, "--json"], {
      env: surroundings,
      cwd: folder.path,
    });
    const same = stdout
      .replaceAll(folder.path, "FOLDER")
      .replaceAll('"x-sandbox-language":"pt",', "")
      .replaceAll(String(sandbox.ready.port), "PORT")
      .replace(/"(?:at|webhook-timestamp|webhook-signature)":"[^"]*"|"duration_ms":[\d.]+/g, "…");
    said.push({ args, ended: { code, stdout: same } });
    return stdout;
  };
  const idOf = (stdout: string): string => (JSON.parse(stdout) as { id: string }).id;
  const key = (name: string): string[] => ["--idempotency-key", name, ...WEBHOOK];

  const payin = idOf(await run("payin", "create", ...key("one")));
  const other = idOf(await run("payin", "create", ...key("two")));
  const third = idOf(await run("payin", "create", ...key("three")));
  const payout = idOf(await run("payout", "create", ...key("four")));
  await run("payin", "show", payin);
  await run("payin", "pay", payin);
  await run("payin", "cancel", other);
  await run("payin", "expire", third);
  await run("payout", "complete", payout);
  await run("payin", "list");
  await run("payout", "list");
  await run("qr", payin);
  await run("simulate", "payin", payin);
  await run("simulate", "payout", UNKNOWN_ID);
  await run("clock", "advance", "1m");
  await run("clock");
  const { data } = JSON.parse(await run("webhooks", "list")) as { data: { id: string }[] };
  await run("webhooks", "show", data[0]?.id ?? "");
  await run("webhooks", "resend", data[0]?.id ?? "");
  await run("webhooks", "show", UNKNOWN_EVENT_ID);
  await run("webhooks", "tail", "--since", "nothing");
  await run("wait", "payin.paid", "--timeout", "0");
  const fault = idOf(await run("faults", "add", "webhook", "duplicate"));
  await run("faults");
  await run("faults", "remove", fault);
  await run("faults", "clear");
  await run("snapshot", "save");
  await run("snapshot", "list");
  await run("snapshot", "restore");
  await run("snapshot", "delete", "default");
  await run("requests", "--limit", "1", "--before", "req_2");
  await run("scenario", "run", "expired", "--token", "story");
  await run("scenario", "run", "nothing-like-it");
  await run("scenario", "list");
  await run("secret");
  await run("env");
  await run("ready");
  await run("reset");
  await run("assumptions");
  await run("magic");
  await run("openapi");
  for (const shell of ["bash", "zsh", "fish"]) await run("completion", shell);
  await run("exec", "--", "true");
  await writeFile(folder.at("captured.http"), "webhook-id: evt_1\n\n{}");
  await run("webhooks", "verify", "captured.http");
  await writeFile(folder.at("state.json"), "{");
  await run("state", "check", "state.json");
  await run("state", "repair", "state.json");
  await run("serve", "--state", "state.json", "--port", "0");
  await run("payin");
  await run();
  return said;
}
