import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import { runCli, startServe } from "../../support/cli.ts";
import { runMain, serveMain, startMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Ended, freePort } from "../../support/process.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";
import { englishParts } from "../../support/words.ts";

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

  it.each([
    "ready",
    "payin list",
    "payin list --status canceled",
    "payout list",
    "webhooks list",
    "webhooks resend --all",
    "faults",
    "faults add webhook duplicate --times 2",
    "faults list",
    "faults clear",
    "snapshot list",
    "snapshot save",
    "snapshot delete default",
    "clock",
    "requests --token nobody",
    "assumptions",
    "magic",
    "scenario list",
    "completion fish",
    "reset --token nobody",
  ])("has no English sentence: %s", async (line) => {
    const { code, stdout, stderr } = await run(...line.split(" "));
    // Nothing listens at the webhook's address.
    expect({ line, code }).toEqual({ line, code: line.startsWith("webhooks resend") ? 8 : 0 });
    expect(leftEnglish(`${stdout}\n${stderr}`)).toEqual([]);
  });

  it.each<[number, string[]]>([
    [2, []],
    [2, ["payn"]],
    [2, ["payin", "list", "--stat", "x"]],
    [2, ["wait"]],
    [2, ["wait", "x", "--id"]],
    [2, ["magic", "a", "b"]],
    [2, ["completion", "csh"]],
    [2, ["payin", "list", "--status", "x"]],
    [2, ["payin", "list", "--token", ""]],
    [2, ["clock", "advance", "soon"]],
    [2, ["clock", "stop"]],
    [2, ["webhooks", "resend"]],
    [2, ["webhooks", "tail", "--since", "x"]],
    [2, ["faults", "add", "webhook", "early", "--match", "x"]],
    [2, ["qr", "00020101"]],
    [2, ["exec", "--as", "x", "--", "true"]],
    [2, ["serve", "--assume", "x=y"]],
    [2, ["serve", "--assume", "credentials=x"]],
    [2, ["serve", "--assume", "rate_limit.per_minute=x"]],
    [2, ["serve", "--memory", "--fixtures", "/nowhere.json"]],
    [5, ["scenario", "run", "nothing-like-it"]],
    [5, ["payin", "show", UNKNOWN_ID]],
    [6, ["wait", "payin.paid", "--timeout", "0"]],
    [9, ["state", "check", "/nowhere/state.json"]],
    [127, ["exec", "--", "no-such-command-here"]],
  ])("has none in a refusal: %i for %j", async (exitCode, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ args, code, stdout }).toEqual({ args, code: exitCode, stdout: "" });
    // What there was instead is the sandbox's own word.
    const own = stderr.replace(/Em vez disso: .*/, "");
    expect(leftEnglish(own)).toEqual([]);
  });

  it("has the same codes in a refusal as JSON", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await run("secret", "--json", "--url", url);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "NO_SANDBOX" } });
    expect(leftEnglish(stderr)).toEqual([]);
    const usage = await run("payin", "list", "--limit", "x", "--json");
    expect(JSON.parse(usage.stderr)).toMatchObject({ error: { code: "USAGE" } });
  });

  it("is not the language of a scenario's result as JSON", async () => {
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
    expect(leftEnglish(told.stderr)).toEqual([]);
    const asJson = await run("scenario", "run", file, "--json");
    expect(asJson.stdout).toContain("There is payin.paid of charge");
    expect(leftEnglish(asJson.stderr)).toEqual([]);
  });

  it("has none in the lines of serve and of webhooks tail", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    const env = { ...BRAZIL };
    await using serving = startMain(["serve", "--memory", "--port", "0"], { env });
    await serving.lines("stderr", 1, (line) => line.startsWith("Pronto."));
    const url = /http\S+(?=\/v1)/.exec(serving.stderr)?.[0] ?? "";
    await using tail = startMain(["webhooks", "tail", "--url", url], { env });
    await tail.lines("stderr", 1, (line) => line.startsWith("Conectado a "));
    const calls = callsTo(url);
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);
    await tail.lines("stdout", 1, (line) => line.includes("próxima tentativa "));
    await serving.lines("stderr", 1, (line) => line.includes("próxima tentativa "));
    const { stderr } = await serving.stop();
    await tail.lines("stderr", 1, (line) => line.startsWith("O sandbox fechou a conexão;"));
    expect(leftEnglish(`${stderr}${tail.stdout}${tail.stderr}`)).toEqual([]);
  });
});

const ENGLISH_PARTS = englishParts();

/** The longer parts of the sources' English texts in printed output. */
function leftEnglish(printed: string): string[] {
  return ENGLISH_PARTS.filter((part) => printed.includes(part));
}

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
  // First attempts have ended, so that what the clock causes is the same.
  await callsTo(sandbox.url).control("POST", "/settle");
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
