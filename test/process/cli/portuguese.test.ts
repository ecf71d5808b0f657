import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import { runCli, startServe } from "../../support/cli.ts";
import { runMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Ended } from "../../support/process.ts";
import { callsTo, type Shown } from "../../support/calls.ts";

const BRAZIL = { LANG: "pt_BR.UTF-8" };
const UNKNOWN_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";
const UNKNOWN_EVENT_ID = "evt_0123456789abcdef0123456789abcdef";
const WEBHOOK = ["--webhook-url", "http://127.0.0.1:9/hook"];

describe("the language of the command line", { timeout: 60_000 }, () => {
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
    expect(stderr).toContain("Integration review");
    const told = await runCli(["exec", "--report", "--lang", "pt-BR", ...behind]);
    expect(told.stdout).toBe("--lang pt-BR\n");
    expect(told.stderr).toMatch(/^Revisão/m);
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
});

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
