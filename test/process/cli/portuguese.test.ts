import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/client/start.ts";
import { runCli, startServe } from "../../support/cli.ts";
import { runMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Ended } from "../../support/process.ts";
import { callsTo } from "../../support/calls.ts";

const BRAZIL = { LANG: "pt_BR.UTF-8" };
const UNKNOWN_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";
const UNKNOWN_EVENT_ID = "evt_0123456789abcdef0123456789abcdef";
const WEBHOOK = ["--webhook-url", "http://127.0.0.1:9/hook"];

describe("the language of the command line", { timeout: 60_000 }, () => {
  it("is refused if unknown, from --lang and from PIX_SANDBOX_LANG", async () => {
    const byFlag = await runMain(["magic", "--lang", "fr"]);
    expect(byFlag).toMatchObject({ code: 2, stdout: "" });
    expect(byFlag.stderr).toContain("Use one of en, pt-BR, pt.");
    const byEnvironment = await runMain(["magic"], { env: { PIX_SANDBOX_LANG: "fr", ...BRAZIL } });
    expect(byEnvironment).toMatchObject({ code: 2, stdout: "" });
    expect(byEnvironment.stderr).toContain("Use um destes: en, pt-BR, pt.");
  });

  it("does not affect a command after --", async () => {
    const script = "console.log(process.argv.slice(1).join(' '))";
    const behind = ["--", process.execPath, "-e", script, "--", "--lang", "pt-BR"];
    const { code, stdout, stderr } = await runCli(["exec", "--report", ...behind]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "--lang pt-BR\n" });
    expect(stderr).toContain("made no call to the sandbox");
    const told = await runCli(["exec", "--report", "--lang", "pt-BR", ...behind]);
    expect(told.stdout).toBe("--lang pt-BR\n");
    expect(told.stderr).toContain("não chamou o sandbox do exec");
  });

  it("comes from serve's config file, unless a flag or the environment sets it", async () => {
    await using folder = await createFolder();
    await using busy = await startSandbox();
    const config = folder.at("config.json");
    await writeFile(config, JSON.stringify({ lang: "pt-BR", port: busy.port, memory: true }));
    const start = (args: string[], env = {}): Promise<Ended> =>
      runMain(["serve", "--config", config, ...args], { env });

    expect((await start([])).stderr).toContain("está em uso");
    expect((await start(["--lang", "en"])).stderr).toContain("is in use");
    expect((await start([], { PIX_SANDBOX_LANG: "en" })).stderr).toContain("is in use");
    expect((await start([], { LANG: "C" })).stderr).toContain("está em uso");
    expect((await start(["--json"])).stderr).toContain("is in use");
    await writeFile(config, JSON.stringify({ lang: "fr" }));
    const refused = await start([]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("lang in ");
  });
});

describe("a machine that speaks Portuguese", { timeout: 120_000 }, () => {
  it("changes nothing that scripts read: stdout and errors with --json, and exit codes", async () => {
    expect(await tellAll(BRAZIL)).toEqual(await tellAll({}));
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

/** Commands of a sandbox that is always the same. */
const LINES = `
payin create --idempotency-key one --webhook-url http://127.0.0.1:9/hook
payin show last
payin pay last
payin create --idempotency-key two --webhook-url http://127.0.0.1:9/hook
payin cancel last
payin create --idempotency-key three --webhook-url http://127.0.0.1:9/hook
payin expire last
payout create --idempotency-key four --webhook-url http://127.0.0.1:9/hook
payout complete last
payin list
payout list
qr last
simulate payin last
simulate payout ${UNKNOWN_ID}
clock advance 1m
clock
webhooks list
webhooks show last
webhooks resend last
webhooks show ${UNKNOWN_EVENT_ID}
webhooks tail --forward-to nothing
wait payin.paid --timeout 0
faults add webhook duplicate
faults
faults remove last
faults clear
snapshot save
snapshot list
snapshot restore
snapshot delete default
requests --limit 1 --before req_2
secret
env
ready
reset
assumptions
magic
openapi
exec -- true
webhooks verify captured.http
state copy state.json copy.json
serve --state state.json --port 0
payin
`
  .trim()
  .split("\n");

/** What each command prints with --json, and how it ends, on a sandbox of its own. */
async function tellAll(env: Record<string, string>): Promise<readonly object[]> {
  await using folder = await createFolder();
  await writeFile(folder.at("captured.http"), "webhook-id: evt_1\n\n{}");
  await writeFile(folder.at("state.json"), "{");
  await using sandbox = await serveMain(
    ["--memory", "--clock", "frozen", "--now", "2026-11-21T12:00:00Z", "--seed", "42"],
    { env },
  );
  const options = { env: { ...env, PIX_SANDBOX_URL: sandbox.url }, cwd: folder.path };
  const told: object[] = [];
  for (const line of LINES) {
    // First attempts have ended, so that what the clock causes is the same.
    await callsTo(sandbox.url).control("POST", "/settle");
    // exec starts a process of its own.
    const run = line.startsWith("exec") ? runCli : runMain;
    const [own = "", rest] = line.split(" -- ");
    const behind = rest === undefined ? [] : ["--", rest];
    const { code, stdout, stderr } = await run([...own.split(" "), "--json", ...behind], options);
    const errors = stderr.split("\n").filter((one) => one.startsWith('{"error":'));
    const same = [stdout, ...errors]
      .join("\n")
      .replaceAll(folder.path, "FOLDER")
      .replaceAll('"x-sandbox-language":"pt",', "")
      .replaceAll(String(sandbox.ready.port), "PORT")
      .replace(
        /"(?:at|webhook-timestamp|webhook-signature)":"[^"]*"|"(?:duration_ms|ahead_seconds)":[-\d.]+/g,
        "…",
      );
    told.push({ line, code, same });
  }
  return told;
}
